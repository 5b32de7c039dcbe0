/**
 * Check sums of records in files of text.
 *
 * A record has its CRC-32C in itself, as eight hexadecimal digits: that of the record with zeros in their place. Readers
 * do not look at it, as other programs may change a record and keep what they do not know; `verifySink` does.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";

/** The digits of a sum that is not known yet. */
export const NO_SUM = "00000000";

/** Puts the sum into a record, in place of the zeros that begin at `at`. */
export function withSum(record: string, at: number): string {
  return record.slice(0, at) + sumOf(record) + record.slice(at + NO_SUM.length);
}

/** Returns whether a record is as it was written; `undefined` if there are no digits at `at`. */
export function isAsWritten(record: string, at: number | undefined): boolean | undefined {
  if (at === undefined) return undefined;
  const sum = record.slice(at, at + NO_SUM.length);
  return sum === sumOf(record.slice(0, at) + NO_SUM + record.slice(at + NO_SUM.length));
}

function sumOf(record: string): string {
  return crc32c(new TextEncoder().encode(record)).toString(16).padStart(8, "0");
}
