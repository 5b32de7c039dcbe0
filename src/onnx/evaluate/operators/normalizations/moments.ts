/**
 * Mean and variance of elements that lie together.
 *
 * @module
 */

/** Attributes are floats of 32 bits in files, and so is what holds without them. */
export const EPSILON: number = Math.fround(1e-5);

/** The mean of a block of elements, and the mean square of what they differ from it. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** In two passes, as the difference of two squares would lose digits. */
// hot
export function momentsOf(data: Float64Array, from: number, count: number): Moments {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += data[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = from; i < from + count; i++) squares += (data[i]! - mean) ** 2;
  return { mean, variance: squares / count };
}
