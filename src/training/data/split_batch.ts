/**
 * Batches in parts.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { TrainingBatch } from "./data_source.ts";
import { sized } from "./tensor_rows.ts";

/**
 * Returns a batch as parts of about equal size: every tensor of which the first length is that of the batch is cut
 * along it, in order; the others go whole into each part. Parts share no memory, so that each may go to a worker.
 *
 * @param parts how many; never more than there are samples
 * @throws {TypeError} if a feed is not a tensor
 * @throws {RangeError} if `parts` is not a positive integer, and for a batch whose size no tensor has
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

/** Returns the first sample of each part, and the end of the last one. */
export function boundsOf(action: string, size: number, parts: unknown): number[] {
  if (!Number.isSafeInteger(parts) || (parts as number) < 1) {
    throw new RangeError(
      `Cannot ${action}: parts must be a positive integer; got ${show(parts)}`,
    );
  }
  const count = Math.max(1, Math.min(parts as number, size));
  return Array.from({ length: count + 1 }, (_, k) => Math.floor(k * size / count));
}

/** Tokens go with samples, evenly: all parts together have as many as the batch. */
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
