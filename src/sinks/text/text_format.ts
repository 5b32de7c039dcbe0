/**
 * Formats of text files to which records are appended.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import type { Stamp } from "../slice.ts";

/** Result of comparing a record with its checksum. */
export interface RecordSum {
  /** True if the record matches its checksum; `undefined` if it has no checksum. */
  readonly isRight: boolean | undefined;
  /**
   * Index of the first record of the unbroken run of records with checksums that ends with this record. Records
   * before it may be written by another program. `undefined` if another program wrote this record.
   */
  readonly from: number | undefined;
}

/** A format: records of complete lines, one per system. */
export interface TextFormat<T> {
  /**
   * Reads the first line of a record.
   *
   * @param start the line without its newline, or its first `startBytes` bytes
   * @param line number of the line, from 1
   * @returns the number of further lines of the record; −1 for a line that does not belong to a record
   * @throws {SyntaxError} if the line is not of this format
   * @throws {RangeError} if a newer version wrote it
   */
  linesAfter(start: string, line: number): number;
  /** Number of bytes of a line that `linesAfter` needs. */
  readonly startBytes: number;
  /** Returns whether a text may be an unfinished record that a killed process left. Only such a text is removed. */
  isUnfinished(text: string): boolean;
  /**
   * Returns whether a complete line can be part of an unfinished record. A format without this function
   * accepts any line.
   *
   * @param line a line after the first of the record
   * @param second the second line of the record; `undefined` if `line` is the second
   */
  isWithin?(line: string, second: string | undefined): boolean;
  /** Returns the beginning of a new file with these first systems: a line of column names, or an empty text. */
  header(first: readonly System[]): string;
  /**
   * Returns a system as a record: a text, or its bytes in UTF-8.
   *
   * @param sumsFrom index, from 0, of the record from which on all records have checksums, see {@linkcode RecordSum}
   */
  encode(system: System, sumsFrom: number): string | Uint8Array;
  /**
   * Returns the content of a record.
   *
   * @param line number of the first line of the record, from 1
   * @throws {SyntaxError} that names the line if the record is not valid
   */
  decode(text: string, line: number): T;
  /** Compares a record with its checksum. A format without this function has no checksums. */
  sumOf?(text: string): RecordSum;
  /**
   * Returns the values of a record by which a slice selects. Errors in other parts of the record may be left
   * to `decode`.
   */
  stamp(text: string, line: number): Stamp;
}
