/**
 * Checks of the number of systems in a sink.
 *
 * @module
 */

/** Throws a RangeError if `length` is not a non-negative integer. `action` completes "Cannot …" in the message. */
export function checkLength(length: number, action: string): void {
  if (Number.isSafeInteger(length) && length >= 0) return;
  throw new RangeError(
    `Cannot ${action}: its length must be a non-negative integer; got ${length}`,
  );
}

/** Returns the error for reading an empty file. */
export function emptyError(path: string): RangeError {
  return new RangeError(`Cannot read ${path}: it is empty`);
}

/**
 * Returns the error for systems that exceed the capacity of a sink. `action` completes "Cannot …": "write to a memory
 * sink".
 */
export function fullError(
  action: string,
  count: number,
  { capacity, length }: { readonly capacity: number; readonly length: number },
): RangeError {
  return new RangeError(
    `Cannot ${action}: ${count} more systems exceed its capacity of ${capacity}; it has ${length}`,
  );
}
