/**
 * Files of text that is only added to: what one kind of them is.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { Stamp } from "../slice.ts";

/** What a record says of check sums. */
export interface RecordSum {
  /** Whether the record is as it was written; `undefined` if it has no check sum. */
  readonly isRight: boolean | undefined;
  /**
   * The first record, counted from 0, from which on to this one all were written with check sums: those before it may be
   * of another program. `undefined` in records of other programs.
   */
  readonly from: number | undefined;
}

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
  /**
   * Returns whether a whole line can be within an unfinished record. A format without it accepts any.
   *
   * @param line a line behind the first of the record
   * @param second the second line of the record; `undefined` if `line` is the second
   */
  isWithin?(line: string, second: string | undefined): boolean;
  /** What a new file begins with, before these first systems. */
  header(first: readonly System[]): string;
  /**
   * Returns a system as a record.
   *
   * @param sumsFrom the first record from which on all have check sums, as {@linkcode RecordSum} has it
   */
  encode(system: System, sumsFrom: number): string;
  /**
   * What a record holds.
   *
   * @param line the number of its first line
   * @throws {SyntaxError} naming the line
   */
  decode(text: string, line: number): T;
  /** Returns the check sum of a record, compared. A format without it has none. */
  sumOf?(text: string): RecordSum;
  /** What a slice looks at in a record. Throws a SyntaxError like `decode`, or leaves that to it. */
  stamp(text: string, line: number): Stamp;
}
