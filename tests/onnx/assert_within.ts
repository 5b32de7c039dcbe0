import { assert, assertEquals } from "@std/assert";

/** Throws unless there are as many numbers, each at most so far away; NaN is far from every number. */
export function assertWithin(
  what: string,
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  assertEquals(actual.length, expected.length, what);
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i]! - expected[i]!);
    assert(difference <= tolerance, `${what}[${i}] is ${difference} away, at most ${tolerance}`);
  }
}

/** The size of the largest of some numbers. */
export function largest(values: ArrayLike<number>): number {
  return Math.max(...Array.from(values, Math.abs));
}
