/**
 * Checks of unknown objects.
 *
 * @module
 */

/** An object whose members have unknown types. */
export type Members = Readonly<Record<string, unknown>>;

/** Returns whether a value is an object, but not an array or a function. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether an object is plain, such as the result of `{ … }`, and not an instance of a class. */
export function isPlain(value: object): boolean {
  // A plain object of another realm has the Object.prototype of that realm, which also ends the prototype chain.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
