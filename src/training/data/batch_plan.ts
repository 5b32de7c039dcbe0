/**
 * Which samples are in which batch.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { seedWords } from "../../batch/seed.ts";
import { show } from "../../base/show.ts";
import { checkPlace, type TrainingFeeds } from "./data_source.ts";
import { identity, permutation } from "./permutation.ts";

/** How samples become batches. */
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
   * Of the orders: a whole number 0 … 2⁵³ − 1.
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
   * What the source is called where there are several.
   *
   * @default none
   */
  readonly name?: string;
  /**
   * How many tokens a batch is, or whatever else work is to be counted in.
   *
   * @default not counted
   */
  readonly tokens?: (feeds: TrainingFeeds) => number;
}

/** Which samples are in which batch. */
export interface BatchPlan {
  /** Batches of an epoch. */
  readonly length: number;
  /** The places of the samples of each batch, from batch `from` on. Checks both numbers at once. */
  places(epoch: number, from: number): Iterable<Uint32Array>;
}

const NAMES = ["batchSize", "shuffle", "seed", "dropLast", "name", "tokens"];

/**
 * The batches of so many samples.
 *
 * @param more names that options may have besides
 * @throws {TypeError} for an unknown option, and for one of the wrong kind
 * @throws {RangeError} for a size that is no whole number above 0, a bad seed, and for no batches at all
 */
export function planBatches(
  action: string,
  count: number,
  options: BatchingOptions,
  more: readonly string[] = [],
): BatchPlan {
  checkOptions(action, options, [...NAMES, ...more]);
  const { batchSize, shuffle = true, seed = 0, dropLast = false } = options;
  checkBatching(action, options);
  const length = dropLast ? Math.floor(count / batchSize) : Math.ceil(count / batchSize);
  if (length === 0) {
    throw new RangeError(
      `Cannot ${action} as there must be ${
        dropLast ? `${batchSize} samples` : "a sample"
      } or more: current count is ${count}`,
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
      `Cannot ${action} as batchSize must be a whole number above 0: current value is ${
        show(batchSize)
      }`,
    );
  }
  seedWords(seed, action);
  checkKinds(action, { shuffle, dropLast }, "boolean");
  checkKinds(action, { name }, "string");
  checkKinds(action, { tokens }, "function");
}

/** Throws a TypeError for the first of these options that is there and of another kind. */
export function checkKinds(
  action: string,
  options: Readonly<Record<string, unknown>>,
  kind: "boolean" | "string" | "function",
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || typeof value === kind) continue;
    throw new TypeError(
      `Cannot ${action} as ${name} must be a ${kind}: current value is ${show(value)}`,
    );
  }
}
