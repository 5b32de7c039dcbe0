/**
 * Objects of which nothing is known yet.
 *
 * @module
 */

/** An object of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Is the value an object with members of its own, no array and no function? */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Is the value written as `{ … }`, not an instance of a class? */
export function isPlain(value: object): boolean {
  // A plain object of another realm has another Object.prototype, which is the end of its chain all the same.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
