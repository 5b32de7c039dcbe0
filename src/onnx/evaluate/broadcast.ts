/**
 * Tensors of different shapes side by side, by the rules of ONNX, which are those of numpy.
 *
 * @module
 */

import { gather, stridesOf } from "./strides.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/**
 * The lengths that tensors of these lengths have together; `undefined` where they do not go together.
 */
export function broadcastDims(
  ...all: readonly (readonly number[])[]
): readonly number[] | undefined {
  const rank = Math.max(0, ...all.map((dims) => dims.length));
  const lengths = new Array<number>(rank).fill(1);
  for (const dims of all) {
    for (let axis = rank - dims.length, i = 0; axis < rank; axis++, i++) {
      const length = dims[i]!;
      if (length === 1 || length === lengths[axis]) continue;
      if (lengths[axis] !== 1) return undefined;
      lengths[axis] = length;
    }
  }
  return lengths;
}

/** The strides of a tensor of lengths `dims` walked through as one of lengths `target`: 0 where it is repeated. */
export function broadcastStrides(dims: readonly number[], target: readonly number[]): number[] {
  const own = stridesOf(dims), before = target.length - dims.length;
  return target.map((_, axis) =>
    axis < before || dims[axis - before] === 1 ? 0 : own[axis - before]!
  );
}

/** The elements of a tensor repeated to these lengths; its own where there is nothing to repeat. */
export function broadcastData(
  { dims, data }: PlainTensor,
  target: readonly number[],
): Float64Array {
  if (dims.length === target.length && dims.every((length, axis) => length === target[axis])) {
    return data;
  }
  return gather({ data, strides: broadcastStrides(dims, target) }, target);
}
