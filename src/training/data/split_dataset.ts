/**
 * Random splits of a dataset, for example into training and validation data.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { checkDataset, type Dataset, type IndexedDataset } from "./data_loader.ts";
import { permutation } from "./permutation.ts";

/**
 * Splits a dataset into parts that share no sample. The seed alone decides the part of each sample. Within a part,
 * samples keep their order.
 *
 * @param fractions the size of each part as a fraction of the dataset; if they add up to less than 1, some samples
 * are in no part
 * @param seed the seed of the split: an integer from 0 to 2⁵³ − 1
 * @returns one dataset per fraction; arrays if `dataset` is an array
 * @throws {TypeError} if `dataset` is not a dataset
 * @throws {RangeError} if a fraction is below 0, if the fractions add up to more than 1, or if the seed is invalid
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
/** Splits a dataset whose samples are loaded when they are needed. */
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

/**
 * Returns the end of each part, as an index into the samples. The running sums are rounded instead of the parts, so
 * that no sample is lost or used twice.
 */
function endsOf(action: string, fractions: unknown, count: number): number[] {
  const list = Array.isArray(fractions) && fractions.length > 0 ? fractions as unknown[] : [NaN];
  let sum = 0;
  const ends = list.map((fraction) => {
    sum += typeof fraction === "number" && fraction >= 0 ? fraction : NaN;
    return Math.min(count, Math.round(sum * count));
  });
  // The tolerance allows rounding errors, as in 0.7 + 0.2 + 0.1.
  if (sum <= 1 + 1e-9) return ends;
  throw new RangeError(
    `Cannot ${action}: fractions must be 0 or more, and their sum at most 1; got ${
      show(fractions)
    }`,
  );
}
