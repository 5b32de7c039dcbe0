/**
 * Histograms of numbers.
 *
 * @module
 */

import type { TensorBoardHistogram } from "./tensorboard_event.ts";

/**
 * Returns the histogram of numbers over `ranges` ranges of equal width. Throws a RangeError if there are no numbers,
 * or if a number is not finite.
 */
export function histogramOf(values: ArrayLike<number>, ranges: number): TensorBoardHistogram {
  if (values.length === 0) {
    throw new RangeError("Cannot make a histogram: the list of numbers is empty");
  }
  let min = Infinity, max = -Infinity, sum = 0, sumOfSquares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) {
      throw new RangeError(
        `Cannot make a histogram: all numbers must be finite; got ${value} at ${i}`,
      );
    }
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    sumOfSquares += value * value;
  }
  const width = max / ranges - min / ranges, counts = new Array<number>(ranges).fill(0);
  for (let i = 0; i < values.length; i++) {
    const place = width > 0 ? Math.floor((values[i]! - min) / width) : 0;
    counts[Math.min(ranges - 1, place)]!++;
  }
  // The last range ends exactly at `max`: a sum of widths would miss it by rounding.
  const limits = counts.map((_, i) => i === ranges - 1 ? max : min + (i + 1) * width);
  return { min, max, count: values.length, sum, sumOfSquares, limits, counts };
}
