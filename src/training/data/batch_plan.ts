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

/** Options of batches. */
export interface BatchingOptions {
  /** Samples per batch. */
  readonly batchSize: number;
  /**
   * True if each epoch has an order of its own, which depends on the seed and the epoch alone.
   *
   * @default true
   */
  readonly shuffle?: boolean;
  /**
   * Seed of the orders: a whole number 0 … 2⁵³ − 1.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * True if the samples at the end of an epoch that are fewer than a batch are left out.
   *
   * @default false
   */
  readonly dropLast?: boolean;
  /**
   * Name of the source, if there are several.
   *
   * @default undefined
   */
  readonly name?: string;
  /**
   * Returns the number of tokens of a batch, or of another unit of work.
   *
   * @default not counted
   */
  readonly tokens?: (feeds: TrainingFeeds) => number;
}

/** The samples of each batch. */
export interface BatchPlan {
  /** Batches of an epoch. */
  readonly length: number;
  /** Returns the indices of the samples of each batch, from batch `from` on. Checks both numbers at once. */
  places(epoch: number, from: number): Iterable<Uint32Array>;
}

/** The names of the options of batches. */
export const BATCHING_OPTIONS: readonly string[] = [
  "batchSize",
  "shuffle",
  "seed",
  "dropLast",
  "name",
  "tokens",
];

/**
 * Plans the batches of a number of samples.
 *
 * @param more further names of options
 * @throws {TypeError} if an option is unknown or of a wrong type
 * @throws {RangeError} if the size is not a positive integer, if the seed is invalid, or if there is no batch
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
      `Cannot ${action}: it must have at least ${
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

/** Throws a TypeError for the first of these options that is given and of a wrong type. */
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
