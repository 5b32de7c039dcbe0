/**
 * Splitting of batches.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { DataSource, TrainingBatch } from "./data_source.ts";
import { sized } from "./tensor_rows.ts";

/**
 * Splits a batch into parts of about equal size. Each tensor whose first dimension is the number of samples is cut
 * along it, in order. All other tensors are copied into every part. Parts share no memory, so each can be sent to a
 * worker.
 *
 * @param parts the number of parts; a batch with fewer samples gives one part per sample
 * @throws {TypeError} if a feed is not a tensor
 * @throws {RangeError} if `parts` is not a positive integer, or if no tensor has the number of samples as its first
 * dimension
 *
 * @example
 * ```ts
 * import { splitBatch } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const feeds = { x: { data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [3, 2] } };
 * const [first, second] = splitBatch({ feeds, size: 3 }, 2);
 * assertEquals(first!.feeds.x, { data: Float32Array.of(1, 2), dims: [1, 2] });
 * assertEquals(second!.feeds.x, { data: Float32Array.of(3, 4, 5, 6), dims: [2, 2] });
 * ```
 */
export function splitBatch(batch: TrainingBatch, parts: number): TrainingBatch[] {
  const action = "split a batch";
  const bounds = boundsOf(action, batch.size, parts);
  const tensors = Object.entries(batch.feeds).map(([name, feed]) => {
    return { name, ...sized(action, `the tensor ${show(name)}`, feed) };
  });
  if (!tensors.some(({ dims }) => dims[0] === batch.size)) {
    throw new RangeError(
      `Cannot ${action}: the first dimension of at least one tensor must be ${batch.size}, the size of the batch; got ${
        tensors.map(({ name, dims }) => `${name} [${dims.join(", ")}]`).join(", ")
      }`,
    );
  }
  return bounds.slice(1).map((to, k) => {
    const from = bounds[k]!;
    const feeds = tensors.map(({ name, data, dims }): [string, HostFeed] => {
      if (dims[0] !== batch.size) return [name, { data: data.slice(), dims }];
      const width = data.length / batch.size;
      const rows = data.slice(from * width, to * width);
      return [name, { data: rows, dims: [to - from, ...dims.slice(1)] }];
    });
    return partOf(batch, Object.fromEntries(feeds), from, to);
  });
}

/** Returns the function that splits batches of a source. Batches of a source that cannot split them stay whole. */
export function splitOf(source: DataSource | undefined): NonNullable<DataSource["split"]> {
  return source?.split?.bind(source) ?? ((batch) => [batch]);
}

/** Returns the index of the first sample of each part, and as the last element the number of samples. */
export function boundsOf(action: string, size: number, parts: unknown): number[] {
  if (!Number.isSafeInteger(parts) || (parts as number) < 1) {
    throw new RangeError(
      `Cannot ${action}: parts must be a positive integer; got ${show(parts)}`,
    );
  }
  const count = Math.max(1, Math.min(parts as number, size));
  return Array.from({ length: count + 1 }, (_, k) => Math.floor(k * size / count));
}

/**
 * Returns the part of a batch with the samples from `from` to below `to`. Tokens are assigned to samples evenly, so
 * that the tokens of all parts add up to those of the batch.
 */
function partOf(
  { size, tokens }: TrainingBatch,
  feeds: TrainingBatch["feeds"],
  from: number,
  to: number,
): TrainingBatch {
  if (tokens === undefined) return { feeds, size: to - from };
  const until = (end: number) => Math.floor(tokens * end / size);
  return { feeds, size: to - from, tokens: until(to) - until(from) };
}
