/**
 * Samples to learn from, and samples to be asked about.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { checkDataset, type Dataset, type IndexedDataset } from "./data_loader.ts";
import { permutation } from "./permutation.ts";

/**
 * Parts of a dataset that share no sample: each sample is in one of them, chosen by the seed alone. In each part they
 * keep their order.
 *
 * @param fractions the parts' sizes, as parts of 1; where they are less than 1 together, samples are left over
 * @param seed whose equal gives the same parts: a whole number 0 … 2⁵³ − 1
 * @returns as many datasets as fractions, lists of lists
 * @throws {TypeError} if `dataset` is not a dataset
 * @throws {RangeError} for fractions below 0 or above 1 together, and a bad seed
 *
 * @example
 * ```ts
 * import { splitDataset } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const samples = Array.from({ length: 10 }, (_, x) => ({ x }));
 * const [train, validation] = splitDataset(samples, [0.8, 0.2], 1);
 * assertEquals(train!.length, 8);
 * assertEquals(new Set([...train!, ...validation!]).size, 10);
 * ```
 */
export function splitDataset<S>(
  dataset: readonly S[],
  fractions: readonly number[],
  seed?: number,
): S[][];
/** Splits a dataset whose samples are loaded. */
export function splitDataset<S>(
  dataset: IndexedDataset<S>,
  fractions: readonly number[],
  seed?: number,
): IndexedDataset<S>[];
export function splitDataset<S>(
  dataset: Dataset<S>,
  fractions: readonly number[],
  seed: number = 0,
): Dataset<S>[] {
  const action = "split a dataset";
  checkDataset(action, dataset);
  const ends = endsOf(action, fractions, dataset.length);
  const order = permutation(dataset.length, seed, 0);
  return ends.map((end, k) => {
    const places = order.slice(k === 0 ? 0 : ends[k - 1]!, end).sort();
    if (!("get" in dataset)) return Array.from(places, (place) => dataset[place]!);
    return {
      length: places.length,
      get: (index: number, epoch: number) => dataset.get(places[index]!, epoch),
    };
  });
}

/** Returns the end of each part. Sums are rounded, not parts, so that together they have every sample once. */
function endsOf(action: string, fractions: unknown, count: number): number[] {
  const list = Array.isArray(fractions) && fractions.length > 0 ? fractions as unknown[] : [NaN];
  let sum = 0;
  const ends = list.map((fraction) => {
    sum += typeof fraction === "number" && fraction >= 0 ? fraction : NaN;
    return Math.min(count, Math.round(sum * count));
  });
  // 0.7 + 0.2 + 0.1 is 1 but for rounding.
  if (sum <= 1 + 1e-9) return ends;
  throw new RangeError(
    `Cannot ${action}: fractions must be 0 or more, and their sum at most 1; got ${
      show(fractions)
    }`,
  );
}
