/**
 * What can be said of the gradient of one parameter in a few numbers.
 *
 * @module
 */

import type { Histogram } from "../reporter/scalars.ts";

/** Moments and bounds of the finite numbers among some. */
export interface Moments {
  /** The sum of their squares. */
  readonly squares: number;
  /** Its root. */
  readonly norm: number;
  readonly meanAbs: number;
  readonly min: number;
  readonly max: number;
  /** How many are NaN or infinite. */
  readonly nonFinite: number;
}

const BINS = 32;
/** So many numbers are sorted at most: of more, as many spread evenly. */
const SORTED = 2048;

/** Norm, mean size and bounds in one pass. The norm is that of all numbers, so NaN where one is. */
export function momentsOf(numbers: ArrayLike<number>): Moments {
  const { length } = numbers;
  let squares = 0, sizes = 0, min = Infinity, max = -Infinity;
  for (let i = 0; i < length; i++) {
    const x = numbers[i]!;
    squares += x * x;
    sizes += Math.abs(x); // no branch on a sign that nobody can foresee
    if (x < min) min = x;
    if (x > max) max = x;
  }
  // Sums of float32 in float64 are finite unless one of the numbers is not.
  const nonFinite = sizes < Infinity ? 0 : countNonFinite(numbers);
  return { squares, norm: Math.sqrt(squares), meanAbs: sizes / length, min, max, nonFinite };
}

function countNonFinite(numbers: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) count++;
  return count;
}

/**
 * Percentiles, by linear interpolation between the two nearest numbers. Of more than 2048 numbers they are those of as
 * many of them, spread evenly: good to about a percent of rank.
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
  const sample = new Float32Array(SORTED), stride = length / SORTED;
  for (let i = 0; i < SORTED; i++) sample[i] = numbers[Math.floor((i + 0.5) * stride)]!;
  return sample;
}

/** How the finite numbers are spread over 32 bins. */
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
