/**
 * Statistics of the gradient of one parameter.
 *
 * @module
 */

import type { Histogram } from "../reporter/scalars.ts";

/** Moments and bounds of some numbers. */
export interface Moments {
  /** Sum of the squares. */
  readonly squares: number;
  /** Square root of the sum of the squares. */
  readonly norm: number;
  readonly meanAbs: number;
  readonly min: number;
  readonly max: number;
  /** Number of values that are NaN or infinite. */
  readonly nonFinite: number;
}

const BINS = 32;
/** Largest number of values to sort. A longer list is sampled at even distances. */
const SORTED = 2048;

/**
 * Computes norm, mean absolute value and bounds in one pass. Numbers that are not finite are included, so the norm is
 * NaN if a number is NaN.
 */
export function momentsOf(numbers: ArrayLike<number>): Moments {
  const { length } = numbers;
  let squares = 0, sizes = 0, min = Infinity, max = -Infinity;
  for (let i = 0; i < length; i++) {
    const x = numbers[i]!;
    squares += x * x;
    sizes += Math.abs(x); // avoids a branch on the sign, which is unpredictable
    if (x < min) min = x;
    if (x > max) max = x;
  }
  // The largest float32 is 3.4e38, so a float64 sum overflows only if one of the numbers is not finite.
  const nonFinite = sizes < Infinity ? 0 : countNonFinite(numbers);
  return { squares, norm: Math.sqrt(squares), meanAbs: sizes / length, min, max, nonFinite };
}

function countNonFinite(numbers: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) count++;
  return count;
}

/**
 * Computes the percentiles `wanted` by linear interpolation between the two nearest numbers. The keys of the result
 * are `p10`, `p50` and so on. From more than 2048 numbers, 2048 are sampled at even distances, which is accurate to
 * about one percent of rank.
 */
export function percentilesOf(
  numbers: ArrayLike<number>,
  wanted: readonly number[],
): Record<string, number> {
  const sorted = sampleOf(numbers).sort(), last = sorted.length - 1;
  return Object.fromEntries(wanted.map((percent) => {
    const at = percent / 100 * last, below = Math.floor(at), above = Math.min(below + 1, last);
    const low = sorted[below] ?? NaN, high = sorted[above] ?? NaN;
    return [`p${percent}`, at === below ? low : low + (high - low) * (at - below)];
  }));
}

function sampleOf(numbers: ArrayLike<number>): Float32Array {
  const { length } = numbers;
  if (length <= SORTED) return Float32Array.from(numbers);
  // Midpoints of equal ranges: unlike a random sample, the same numbers in every run.
  const sample = new Float32Array(SORTED), stride = length / SORTED;
  for (let i = 0; i < SORTED; i++) sample[i] = numbers[Math.floor((i + 0.5) * stride)]!;
  return sample;
}

/** Counts the finite numbers in 32 bins of equal width. If there are no finite numbers, `from` and `to` are NaN. */
export function histogramOf(numbers: ArrayLike<number>): Histogram {
  let from = Infinity, to = -Infinity, sum = 0, sumOfSquares = 0;
  for (let i = 0; i < numbers.length; i++) {
    const x = numbers[i]!;
    if (x < from && x > -Infinity) from = x;
    if (x > to && x < Infinity) to = x;
  }
  const counts = new Array<number>(BINS).fill(0), scale = to > from ? BINS / (to - from) : 0;
  for (let i = 0; i < numbers.length; i++) {
    const x = numbers[i]!;
    if (!(x >= from && x <= to)) continue;
    counts[Math.min(BINS - 1, Math.floor((x - from) * scale))]!++;
    sum += x;
    sumOfSquares += x * x;
  }
  return { ...(from > to ? { from: NaN, to: NaN } : { from, to }), counts, sum, sumOfSquares };
}
