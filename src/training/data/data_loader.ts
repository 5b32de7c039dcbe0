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

/** Samples that are loaded when they are needed, in any order. */
export interface IndexedDataset<S = Sample> {
  /** Number of samples. */
  readonly length: number;
  /** Returns sample `index` of epoch `epoch`, always the same for the same two numbers. */
  get(index: number, epoch: number): S | Promise<S>;
}

/** Samples: an array, or an object that gets them one by one. */
export type Dataset<S = Sample> = readonly S[] | IndexedDataset<S>;

/** Options of a data loader. */
export interface DataLoaderOptions<S = Sample> extends BatchingOptions {
  /**
   * Makes the tensors of a batch from samples. Batches of a custom function are not split for workers, as only it knows
   * how; if first axes are samples, `{ ...loader, split: splitBatch }` splits them.
   *
   * @default stackSamples
   */
  readonly collate?: (samples: readonly S[], places: ArrayLike<number>) => TrainingFeeds;
  /**
   * Number of batches to load ahead. Their order does not depend on it.
   *
   * @default 2
   */
  readonly prefetch?: number;
}

/**
 * Returns a source with every sample once per epoch, in an order that depends only on seed and epoch: an epoch that is
 * resumed in the middle gives the same remaining batches.
 *
 * @throws {TypeError} if `dataset` is not a dataset, and for an unknown option or one of the wrong type
 * @throws {RangeError} for invalid values of options, and without batches
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
/** Makes batches of samples of any type, with `collate`. */
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

/** Yields the results of promises in order, with some of them in flight while one is used. */
export async function* ahead<T, U>(
  all: Iterable<T> | AsyncIterable<T>,
  load: (one: T) => Promise<U>,
  count: number,
): AsyncGenerator<U, void, undefined> {
  const waiting: Promise<U>[] = [];
  for await (const one of all) {
    const loading = load(one);
    // Caught: an error is thrown when its turn comes, and ignored if it never does.
    loading.catch(() => {});
    waiting.push(loading);
    if (waiting.length > count) yield await waiting.shift()!;
  }
  for (const loading of waiting) yield await loading;
}

/** Throws a TypeError if the samples are neither a list nor a dataset. */
export function checkDataset(action: string, dataset: unknown): void {
  if (Array.isArray(dataset)) return;
  const { length, get } = (dataset ?? {}) as Partial<IndexedDataset<unknown>>;
  if (Number.isSafeInteger(length) && length! >= 0 && typeof get === "function") return;
  throw new TypeError(
    `Cannot ${action}: samples must be an array, or have length and get(i); got ${show(dataset)}`,
  );
}

/** Throws a RangeError or TypeError if a value is not a count. */
export function checkPrefetch(action: string, prefetch: unknown): void {
  if (Number.isSafeInteger(prefetch) && (prefetch as number) >= 0) return;
  throw new (typeof prefetch === "number" ? RangeError : TypeError)(
    `Cannot ${action}: prefetch must be a non-negative integer; got ${show(prefetch)}`,
  );
}
