/**
 * Mean and variance of contiguous elements.
 *
 * @module
 */

/** Default epsilon. Files store attributes as float32, so the default is rounded in the same way. */
export const EPSILON: number = Math.fround(1e-5);

/** Mean of a block of elements, and its population variance. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** Computes the moments in two passes, because the difference of mean squares would lose digits. */
// hot
export function momentsOf(data: Float64Array, from: number, count: number): Moments {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += data[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = from; i < from + count; i++) squares += (data[i]! - mean) ** 2;
  return { mean, variance: squares / count };
}
