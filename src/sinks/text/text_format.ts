/**
 * Files of text that is only added to: what one kind of them is.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { Stamp } from "../slice.ts";

/** A kind of file: records of whole lines, one for each system. */
export interface TextFormat<T> {
  /**
   * Says what a line means that begins a record.
   *
   * @param start the line without its end, or so much of it as `startBytes` says
   * @param line its number, from 1
   * @returns how many lines more belong to the record; −1 for a line that is of none
   * @throws {SyntaxError} for what is no such file
   * @throws {RangeError} for one of a newer version
   */
  linesAfter(start: string, line: number): number;
  /** How much of a line `linesAfter` looks at. */
  readonly startBytes: number;
  /** Whether this may be what a kill has left of a record of ours: anything else in its place is not taken off. */
  isUnfinished(text: string): boolean;
  /** What a new file begins with, before these first systems. */
  header(first: readonly System[]): string;
  /** A system as a record. */
  encode(system: System): string;
  /**
   * What a record holds.
   *
   * @param line the number of its first line
   * @throws {SyntaxError} naming the line
   */
  decode(text: string, line: number): T;
  /** Returns whether a record is as it was written; `undefined` if it has no check sum. A format without them has none. */
  isAsWritten?(text: string): boolean | undefined;
  /** What a slice looks at in a record. Throws a SyntaxError like `decode`, or leaves that to it. */
  stamp(text: string, line: number): Stamp;
}
