/**
 * Throws an Error if numbers differ from the expected ones by more than `tolerance` times the expected value, or if
 * their count differs.
 *
 * `scale` is the smallest magnitude that the tolerance refers to: smaller expected values are treated as if they
 * had that size. NaN is not near anything, not even NaN. An infinite number is near only itself.
 *
 * @example
 * ```ts
 * import { assertNear } from "@hooke/hooke/testing";
 * import { assertThrows } from "@std/assert";
 *
 * assertNear([1.00001, 1e-7], [1, 0], 1e-4, 1);
 * assertThrows(() => assertNear([NaN], [NaN], 1e-4), Error, "[0] is NaN");
 * ```
 */
export function assertNear(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  scale: number = 0,
): void {
  assertSameLength(actual, expected);
  const far = (i: number) => tolerance * Math.max(Math.abs(expected[i]!), scale);
  const isNear = (i: number) => {
    const off = Math.abs(actual[i]! - expected[i]!);
    return actual[i] === expected[i] || (off < Infinity && off <= far(i));
  };
  const where = places(actual, isNear);
  if (where.length === 0) return;
  const [i] = where as [number];
  throw new Error(
    `[${i}] is ${actual[i]}, not ${expected[i]} ± ${far(i)}${others(where.length, actual.length)}`,
  );
}

/**
 * Throws an Error if numbers are not bitwise identical to the expected ones, or if their count differs: 0 differs
 * from -0, and NaN equals NaN.
 *
 * @example
 * ```ts
 * import { assertSameBits } from "@hooke/hooke/testing";
 * import { assertThrows } from "@std/assert";
 *
 * assertSameBits([0.1, NaN], [0.1, NaN]);
 * assertThrows(() => assertSameBits([0], [-0]), Error, "[0] is 0, not -0");
 * ```
 */
export function assertSameBits(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assertSameLength(actual, expected);
  const where = places(actual, (i) => Object.is(actual[i], expected[i]));
  if (where.length === 0) return;
  const [i] = where as [number];
  throw new Error(
    `[${i}] is ${shown(actual[i]!)}, not ${shown(expected[i]!)}, bitwise${
      others(where.length, actual.length)
    }`,
  );
}

function assertSameLength(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  if (actual.length === expected.length) return;
  throw new Error(`There are ${actual.length} numbers, not ${expected.length}`);
}

/** Returns the indices at which a condition fails. */
function places(values: ArrayLike<number>, isSo: (i: number) => boolean): number[] {
  const where: number[] = [];
  for (let i = 0; i < values.length; i++) if (!isSo(i)) where.push(i);
  return where;
}

function others(wrong: number, all: number): string {
  return wrong > 1 ? `; so are ${wrong} of ${all}` : "";
}

function shown(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
