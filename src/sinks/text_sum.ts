/**
 * Checksums in texts: frames, lines and metadata.
 *
 * A text contains its own CRC-32C as eight hexadecimal digits, computed with zeros in their place. Readers
 * ignore it, because other programs may change a text and keep keys that they do not know; `verifySink`
 * compares it.
 *
 * @module
 */

import { crc32c } from "../base/crc32c.ts";

/** Digits in place of the checksum while it is computed. */
export const NO_SUM = "00000000";

const encoder = new TextEncoder();

/** Returns a text with its checksum between `before` and `after`. */
export function withSum(before: string, after: string): string {
  return before + sumOf(before, after) + after;
}

/** Returns whether a text matches the checksum at `at`; `undefined` if `at` is `undefined`. */
export function isAsWritten(text: string, at: number | undefined): boolean | undefined {
  if (at === undefined) return undefined;
  const end = at + NO_SUM.length;
  return text.slice(at, end) === sumOf(text.slice(0, at), text.slice(end));
}

function sumOf(before: string, after: string): string {
  const begun = crc32c(encoder.encode(before + NO_SUM));
  return digitsOf(crc32c(encoder.encode(after), begun));
}

/** Returns the checksum of a text in bytes that has {@linkcode NO_SUM} in its place. */
export function sumOfBytes(bytes: Uint8Array): string {
  return digitsOf(crc32c(bytes));
}

function digitsOf(sum: number): string {
  return sum.toString(16).padStart(NO_SUM.length, "0");
}
