/**
 * How many systems are to be left in a sink, checked.
 *
 * @module
 */

/** Throws a RangeError for what is no count of systems. */
export function checkLength(length: number, action: string): void {
  if (Number.isSafeInteger(length) && length >= 0) return;
  throw new RangeError(
    `Cannot ${action} as its length must be a whole number from 0 on: current value is ${length}`,
  );
}
