/**
 * Checks of how many systems a sink holds.
 *
 * @module
 */

/** Throws a RangeError for what is no count of systems. */
export function checkLength(length: number, action: string): void {
  if (Number.isSafeInteger(length) && length >= 0) return;
  throw new RangeError(
    `Cannot ${action}: its length must be a whole number from 0 on; got ${length}`,
  );
}

/** Returns the error for a file of which nothing can be read. */
export function emptyError(path: string): RangeError {
  return new RangeError(`Cannot read ${path}: it is empty, without a single system`);
}
