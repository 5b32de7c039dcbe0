/**
 * Batches of samples.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { type BatchingOptions, checkKinds, planBatches } from "./batch_plan.ts";
import type { DataSource, TrainingBatch, TrainingFeeds } from "./data_source.ts";
import { splitBatch } from "./split_batch.ts";
import { type Sample, stackSamples } from "./stack_samples.ts";
import { mapped } from "./tensor_data.ts";

/** Samples that are loaded one by one when they are needed, in any order. */
export interface IndexedDataset<S = Sample> {
  /** Number of samples. */
  readonly length: number;
  /**
   * Returns sample `index` for epoch `epoch`. It must return the same sample in each call with the same index and
   * epoch.
   */
  get(index: number, epoch: number): S | Promise<S>;
}

/** Samples: an array, or an object that loads them one by one. */
export type Dataset<S = Sample> = readonly S[] | IndexedDataset<S>;

/** Options of {@linkcode dataLoader}. */
export interface DataLoaderOptions<S = Sample> extends BatchingOptions {
  /**
   * Makes the tensors of a batch from samples. `places` has the indices of the samples. Batches of a custom function
   * are not split for workers; if the first axis of its tensors counts samples, `{ ...loader, split: splitBatch }`
   * splits them.
   *
   * @default stackSamples
   */
  readonly collate?: (samples: readonly S[], places: ArrayLike<number>) => TrainingFeeds;
  /**
   * Number of batches to load ahead. The order of the batches does not depend on it.
   *
   * @default 2
   */
  readonly prefetch?: number;
}

/**
 * Returns a source that has every sample once per epoch. The order depends only on the seed and the epoch, so an
 * epoch that is resumed in the middle has the same remaining batches.
 *
 * @throws {TypeError} if `dataset` is not a dataset, or if an option is unknown or of the wrong type
 * @throws {RangeError} if the value of an option is invalid, or if there is no batch
 *
 * @example
 * ```ts
 * import { dataLoader } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const samples = [{ x: [0, 1], y: 1 }, { x: [2, 3], y: 5 }, { x: [4, 5], y: 9 }];
 * const loader = dataLoader(samples, { batchSize: 2, shuffle: false });
 * const sizes = [];
 * for await (const { feeds, size } of loader.batches(0, 0)) {
 *   assertEquals(feeds.x!.dims, [size, 2]);
 *   sizes.push(size);
 * }
 * assertEquals(sizes, [2, 1]);
 * ```
 *
 * @example Samples that are read when they are needed
 * ```ts
 * import { dataLoader } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const read = (i: number) => Promise.resolve([i, 2 * i]);
 * const samples = { length: 100, get: async (i: number) => ({ x: i, y: await read(i) }) };
 * const loader = dataLoader(samples, { batchSize: 10, seed: 7 });
 * for await (const { feeds: { x, y } } of loader.batches(0, 0)) {
 *   assertEquals([y!.data[0], y!.data[1]], [x!.data[0], 2 * Number(x!.data[0])]);
 * }
 * ```
 */
export function dataLoader<S extends Sample>(
  dataset: Dataset<S>,
  options: DataLoaderOptions<S>,
): DataSource;
/** Returns a source of batches of samples of any type, which `collate` converts to tensors. */
export function dataLoader<S>(
  dataset: Dataset<S>,
  options: DataLoaderOptions<S> & Required<Pick<DataLoaderOptions<S>, "collate">>,
): DataSource;
export function dataLoader(
  dataset: Dataset<unknown>,
  options: DataLoaderOptions<unknown>,
): DataSource {
  const action = "load data";
  checkDataset(action, dataset);
  const plan = planBatches(action, dataset.length, options, ["collate", "prefetch"]);
  const { name, tokens, collate, prefetch = 2 } = options;
  checkKinds(action, { collate }, "function");
  checkPrefetch(action, prefetch);
  const stack = collate ?? stackSamples as NonNullable<typeof collate>;
  const batchOf = (samples: readonly unknown[], rows: Uint32Array): TrainingBatch => {
    const feeds = stack(samples, rows);
    return { feeds, size: rows.length, ...(tokens && { tokens: tokens(feeds) }) };
  };
  return {
    ...(name !== undefined && { name }),
    length: plan.length,
    batches: (epoch, from) => {
      const all = plan.places(epoch, from);
      if (!("get" in dataset)) {
        return mapped(all, (rows) => batchOf(Array.from(rows, (row) => dataset[row]), rows));
      }
      const load = async (rows: Uint32Array) => {
        const samples = await Promise.all(Array.from(rows, (row) => dataset.get(row, epoch)));
        return batchOf(samples, rows);
      };
      return ahead(all, load, prefetch);
    },
    ...(collate === undefined && { split: splitBatch }),
  };
}

/**
 * Yields the results of `load` in order, and starts loading up to `count` further ones while the consumer uses a
 * result.
 */
export async function* ahead<T, U>(
  all: Iterable<T> | AsyncIterable<T>,
  load: (one: T) => Promise<U>,
  count: number,
): AsyncGenerator<U, void, undefined> {
  const waiting: Promise<U>[] = [];
  for await (const one of all) {
    const loading = load(one);
    // Marks the error as handled. It is thrown when the consumer reaches this batch, and ignored if it never does.
    loading.catch(() => {});
    waiting.push(loading);
    if (waiting.length > count) yield await waiting.shift()!;
  }
  for (const loading of waiting) yield await loading;
}

/** Throws a TypeError unless the samples are an array or an object with `length` and `get`. */
export function checkDataset(action: string, dataset: unknown): void {
  if (Array.isArray(dataset)) return;
  const { length, get } = (dataset ?? {}) as Partial<IndexedDataset<unknown>>;
  if (Number.isSafeInteger(length) && length! >= 0 && typeof get === "function") return;
  throw new TypeError(
    `Cannot ${action}: samples must be an array, or an object with length and get(i); got ${
      show(dataset)
    }`,
  );
}

/** Throws a RangeError or TypeError unless `prefetch` is a non-negative integer. */
export function checkPrefetch(action: string, prefetch: unknown): void {
  if (Number.isSafeInteger(prefetch) && (prefetch as number) >= 0) return;
  throw new (typeof prefetch === "number" ? RangeError : TypeError)(
    `Cannot ${action}: prefetch must be a non-negative integer; got ${show(prefetch)}`,
  );
}
