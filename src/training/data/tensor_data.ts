/**
 * Batches of tensors that contain all samples.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import { type BatchingOptions, planBatches } from "./batch_plan.ts";
import type { DataSource, TrainingBatch } from "./data_source.ts";
import { splitBatch } from "./split_batch.ts";
import { gatherRows, sized } from "./tensor_rows.ts";

/**
 * Returns a source whose sample i is row i of each tensor. It is the fastest source if all data are in memory.
 *
 * The tensors themselves are not copied, but each batch is a copy of their rows. Tokens are counted for each batch.
 *
 * @throws {TypeError} if a value is not a tensor, or if an option is unknown or of the wrong type
 * @throws {RangeError} if the first dimensions of the tensors differ, or if the value of an option is invalid
 *
 * @example
 * ```ts
 * import { tensorData } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const x = { data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [3, 2] };
 * const y = { data: BigInt64Array.of(7n, 8n, 9n) };
 * const data = tensorData({ x, y }, { batchSize: 2, shuffle: false });
 * assertEquals(data.length, 2);
 * const [, last] = await Array.fromAsync(data.batches(0, 0));
 * assertEquals(last, {
 *   feeds: {
 *     x: { data: Float32Array.of(5, 6), dims: [1, 2] },
 *     y: { data: BigInt64Array.of(9n), dims: [1] },
 *   },
 *   size: 1,
 * });
 * ```
 */
export function tensorData(
  tensors: Readonly<Record<string, HostFeed>>,
  options: BatchingOptions,
): DataSource {
  const action = "make data of tensors";
  const all = Object.entries(tensors).map(([name, feed]) => {
    return { name, ...sized(action, `the tensor ${show(name)}`, feed) };
  });
  const counts = new Set(all.map(({ dims }) => dims[0]));
  const [count] = counts;
  if (counts.size !== 1 || count === undefined) {
    throw new RangeError(
      `Cannot ${action}: the first axis of all tensors must have the same length; got ${
        all.map(({ name, dims }) => `${name} [${dims.join(", ")}]`).join(", ") || "none"
      }`,
    );
  }
  const plan = planBatches(action, count, options);
  const { name, tokens } = options;
  const batchOf = (rows: Uint32Array): TrainingBatch => {
    const feeds: Record<string, HostFeed> = {};
    for (const { name, data, dims } of all) {
      const gathered = gatherRows(data, data.length / count, rows);
      feeds[name] = { data: gathered, dims: [rows.length, ...dims.slice(1)] };
    }
    return { feeds, size: rows.length, ...(tokens && { tokens: tokens(feeds) }) };
  };
  return {
    ...(name !== undefined && { name }),
    length: plan.length,
    batches: (epoch, from) => mapped(plan.places(epoch, from), batchOf),
    split: splitBatch,
  };
}

/** Yields the result of `make` for each element, computed when it is requested. */
export function* mapped<T, U>(
  all: Iterable<T>,
  make: (one: T) => U,
): Generator<U, void, undefined> {
  for (const one of all) yield make(one);
}
