/**
 * Batches that a function of the user yields.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { checkKinds } from "./batch_plan.ts";
import {
  checkPlace,
  type DataSource,
  type TrainingBatch,
  type TrainingFeeds,
} from "./data_source.ts";
import { checkOptions } from "../../base/check_options.ts";
import { splitBatch } from "./split_batch.ts";

/**
 * A batch, or only its tensors. In the latter case the number of samples is the first dimension of the first tensor.
 */
export type BatchLike = TrainingBatch | TrainingFeeds;

/** Options of {@linkcode batchesOf}. */
export interface BatchesOfOptions {
  /**
   * Name of the source, which distinguishes it from other sources.
   *
   * @default undefined
   */
  readonly name?: string;
  /**
   * Number of batches in every epoch. An epoch with another number of batches throws.
   *
   * @default undefined: the number is unknown
   */
  readonly length?: number;
}

/**
 * Returns a source whose batches a function yields for each epoch, for example from files that are read sequentially
 * or from generated data. The function must yield the same batches for the same epoch. A run that resumes within an
 * epoch skips the earlier batches, which are still produced.
 *
 * @throws {TypeError} if `batches` is not a function, or yields a value that is not a batch
 * @throws {RangeError} if `length` is not a non-negative integer, or if an epoch has another number of batches
 *
 * @example
 * ```ts
 * import { batchesOf } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const source = batchesOf(function* (epoch) {
 *   for (let i = 0; i < 3; i++) yield { x: { data: Float32Array.of(epoch, i), dims: [1, 2] } };
 * });
 * const batches = [];
 * for await (const { feeds, size } of source.batches(5, 1)) batches.push([...feeds.x!.data, size]);
 * assertEquals(batches, [[5, 1, 1], [5, 2, 1]]);
 * ```
 */
export function batchesOf(
  batches: (epoch: number) => Iterable<BatchLike> | AsyncIterable<BatchLike>,
  options: BatchesOfOptions = {},
): DataSource {
  const action = "make a source of batches";
  checkOptions(action, options, ["name", "length"]);
  const { name, length } = options;
  if (typeof batches !== "function") {
    throw new TypeError(
      `Cannot ${action}: batches must be a function of the epoch; got ${show(batches)}`,
    );
  }
  checkKinds(action, { name }, "string");
  if (length !== undefined && !(Number.isSafeInteger(length) && length >= 0)) {
    throw new RangeError(
      `Cannot ${action}: length must be a non-negative integer; got ${show(length)}`,
    );
  }
  return {
    ...(name !== undefined && { name }),
    length,
    batches: (epoch, from) => {
      checkPlace(epoch, from);
      return skipped(batches(epoch), from, length);
    },
    split: splitBatch,
  };
}

async function* skipped(
  all: Iterable<BatchLike> | AsyncIterable<BatchLike>,
  from: number,
  length: number | undefined,
): AsyncGenerator<TrainingBatch, void, undefined> {
  let count = 0;
  for await (const batch of all) {
    if (count === length) throw countError(length, `more than ${length}`);
    if (count++ >= from) yield batchOf(batch, count - 1);
  }
  if (length !== undefined && count < length) throw countError(length, `${count}`);
}

function countError(length: number, current: string): RangeError {
  return new RangeError(
    `Cannot give batches: an epoch must have ${length} batches, as its option length says; got ${current}`,
  );
}

/**
 * Converts a batch, or an object of its tensors, to a `TrainingBatch`. Throws a TypeError for any other value.
 * `place` is the number of the batch in the error.
 */
export function batchOf(batch: BatchLike, place: number): TrainingBatch {
  const { feeds, size } = (batch ?? {}) as Partial<TrainingBatch>;
  if (typeof feeds === "object" && Number.isSafeInteger(size)) return batch as TrainingBatch;
  const first = Object.values((batch ?? {}) as TrainingFeeds)[0];
  if (ArrayBuffer.isView(first?.data)) {
    const length = first.dims === undefined ? first.data.length : first.dims[0];
    if (length !== undefined) return { feeds: batch as TrainingFeeds, size: length };
  }
  throw new TypeError(
    `Cannot give batches: batch ${place} must be { feeds, size }, or an object of tensors; got ${
      show(batch)
    }`,
  );
}
