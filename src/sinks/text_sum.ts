/**
 * Check sums in texts: frames, lines and metadata.
 *
 * A text has its CRC-32C in itself, as eight hexadecimal digits: that of the text with zeros in their place. Readers
 * ignore it, because other programs may change a text and keep what they do not know; `verifySink` compares it.
 *
 * @module
 */

import { crc32c } from "../base/crc32c.ts";

/** The digits that stand for a sum while it is computed. */
const NO_SUM = "00000000";

const encoder = new TextEncoder();

/** Returns a text with its sum between its two parts. */
export function withSum(before: string, after: string): string {
  return before + sumOf(before, after) + after;
}

/** Returns whether a text is as it was written; `undefined` if there are no digits at `at`. */
export function isAsWritten(text: string, at: number | undefined): boolean | undefined {
  if (at === undefined) return undefined;
  const end = at + NO_SUM.length;
  return text.slice(at, end) === sumOf(text.slice(0, at), text.slice(end));
}

function sumOf(before: string, after: string): string {
  const begun = crc32c(encoder.encode(before + NO_SUM));
  return crc32c(encoder.encode(after), begun).toString(16).padStart(8, "0");
}
