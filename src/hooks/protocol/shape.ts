/**
 * What callers without types may pass where an object is expected.
 *
 * @module
 */

import { complaint } from "../../base/show.ts";

/** An object of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Is the value an object with members of its own, no array and no function? */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Throws a TypeError for the first member that is not known. Only what is written as `{ … }` is checked: an
 * instance of a class may have members of its own.
 */
export function checkKeys(
  action: string,
  what: string,
  given: object,
  known: readonly string[],
): void {
  if (!isPlain(given)) return;
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    throw new TypeError(
      complaint(action, `${what} must be among ${known.join(", ")}`, key, known),
    );
  }
}

// A plain object of another realm has another Object.prototype, which is the end of its chain all the same.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
