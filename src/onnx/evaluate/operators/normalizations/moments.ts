/**
 * Mean and variance of contiguous elements.
 *
 * @module
 */

/** Default of the attribute `epsilon`, rounded to float32, because files store attributes as float32. */
export const EPSILON: number = Math.fround(1e-5);

/** Mean and population variance of a block of elements. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/**
 * Returns the mean and variance of `count` elements, starting at index `from`. Two passes are needed, because the
 * difference of mean squares would lose digits.
 */
// hot
export function momentsOf(data: Float64Array, from: number, count: number): Moments {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += data[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = from; i < from + count; i++) squares += (data[i]! - mean) ** 2;
  return { mean, variance: squares / count };
}
