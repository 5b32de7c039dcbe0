/**
 * The assignment of samples to batches.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { seedWords } from "../../batch/seed.ts";
import { show } from "../../base/show.ts";
import { checkPlace, type TrainingFeeds } from "./data_source.ts";
import { identity, permutation } from "./permutation.ts";

/** Options of sources that assign samples to batches. */
export interface BatchingOptions {
  /** Number of samples per batch. */
  readonly batchSize: number;
  /**
   * True if each epoch has a random order of its own, which depends only on the seed and the epoch.
   *
   * @default true
   */
  readonly shuffle?: boolean;
  /**
   * Seed of the random orders: an integer from 0 to 2⁵³ − 1.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * True to leave out the last batch of an epoch if it has fewer than `batchSize` samples.
   *
   * @default false
   */
  readonly dropLast?: boolean;
  /**
   * Name of the source, which distinguishes it from other sources.
   *
   * @default undefined
   */
  readonly name?: string;
  /**
   * Returns the number of tokens, or of another unit of work, in a batch.
   *
   * @default undefined: tokens are not counted
   */
  readonly tokens?: (feeds: TrainingFeeds) => number;
}

/** The assignment of samples to the batches of each epoch. */
export interface BatchPlan {
  /** Number of batches in an epoch. */
  readonly length: number;
  /**
   * Returns the indices of the samples of each batch of an epoch, beginning with batch `from`. Throws a RangeError,
   * before the first batch, if `epoch` or `from` is not a non-negative integer.
   */
  places(epoch: number, from: number): Iterable<Uint32Array>;
}

/** Names of the options in {@linkcode BatchingOptions}. */
export const BATCHING_OPTIONS: readonly string[] = [
  "batchSize",
  "shuffle",
  "seed",
  "dropLast",
  "name",
  "tokens",
];

/**
 * Assigns `count` samples to batches.
 *
 * @param more further names of options that are allowed
 * @throws {TypeError} if an option is unknown or of a wrong type
 * @throws {RangeError} if the batch size is not a positive integer, if the seed is invalid, or if there is no batch
 */
export function planBatches(
  action: string,
  count: number,
  options: BatchingOptions,
  more: readonly string[] = [],
): BatchPlan {
  checkOptions(action, options, [...BATCHING_OPTIONS, ...more]);
  const { batchSize, shuffle = true, seed = 0, dropLast = false } = options;
  checkBatching(action, options);
  const length = dropLast ? Math.floor(count / batchSize) : Math.ceil(count / batchSize);
  if (length === 0) {
    throw new RangeError(
      `Cannot ${action}: the data must have at least ${
        dropLast ? `${batchSize} samples` : "one sample"
      }; got ${count}`,
    );
  }
  let last: { readonly epoch: number; readonly order: Uint32Array } | undefined;
  const orderOf = (epoch: number) => {
    if (last?.epoch === epoch || last !== undefined && !shuffle) return last.order;
    const order = shuffle ? permutation(count, seed, epoch) : identity(count);
    last = { epoch, order };
    return order;
  };
  return {
    length,
    places: (epoch, from) => {
      checkPlace(epoch, from);
      return slices(orderOf(epoch), batchSize, from, length);
    },
  };
}

function* slices(
  order: Uint32Array,
  size: number,
  from: number,
  to: number,
): Generator<Uint32Array, void, undefined> {
  for (let batch = from; batch < to; batch++) {
    yield order.subarray(batch * size, Math.min((batch + 1) * size, order.length));
  }
}

function checkBatching(
  action: string,
  { batchSize, shuffle, seed = 0, dropLast, name, tokens }: BatchingOptions,
): void {
  if (!Number.isSafeInteger(batchSize) || batchSize < 1) {
    throw new (typeof batchSize === "number" ? RangeError : TypeError)(
      `Cannot ${action}: batchSize must be a positive integer; got ${show(batchSize)}`,
    );
  }
  seedWords(seed, action);
  checkKinds(action, { shuffle, dropLast }, "boolean");
  checkKinds(action, { name }, "string");
  checkKinds(action, { tokens }, "function");
}

/** Throws a TypeError for the first of these options that is neither undefined nor of the given type. */
export function checkKinds(
  action: string,
  options: Readonly<Record<string, unknown>>,
  kind: "boolean" | "string" | "function",
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || typeof value === kind) continue;
    throw new TypeError(
      `Cannot ${action}: ${name} must be a ${kind}; got ${show(value)}`,
    );
  }
}
