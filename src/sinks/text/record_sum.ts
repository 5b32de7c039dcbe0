/**
 * Check sums of records in files of text.
 *
 * A record has its CRC-32C in itself, as eight hexadecimal digits: that of the record with zeros in their place. Readers
 * do not look at it, as other programs may change a record and keep what they do not know; `verifySink` does.
 *
 * @module
 */

import { crc32c } from "../../base/crc32c.ts";

/** The digits that stand for a sum while it is computed. */
const NO_SUM = "00000000";

const encoder = new TextEncoder();

/** Returns a record with its sum between its two parts. */
export function withSum(before: string, after: string): string {
  return before + sumOf(before, after) + after;
}

/** Returns whether a record is as it was written; `undefined` if there are no digits at `at`. */
export function isAsWritten(record: string, at: number | undefined): boolean | undefined {
  if (at === undefined) return undefined;
  const end = at + NO_SUM.length;
  return record.slice(at, end) === sumOf(record.slice(0, at), record.slice(end));
}

function sumOf(before: string, after: string): string {
  const begun = crc32c(encoder.encode(before + NO_SUM));
  return crc32c(encoder.encode(after), begun).toString(16).padStart(8, "0");
}
