/**
 * Broadcasting by the rules of ONNX, which are those of NumPy.
 *
 * @module
 */

import { gather, stridesOf } from "./strides.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** Returns the shape to which tensors of these shapes broadcast; `undefined` if they cannot be broadcast together. */
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

/**
 * Returns the strides with which a tensor of shape `dims` is read as one of shape `target`. Broadcast axes have the
 * stride 0.
 */
export function broadcastStrides(dims: readonly number[], target: readonly number[]): number[] {
  const own = stridesOf(dims), before = target.length - dims.length;
  return target.map((_, axis) =>
    axis < before || dims[axis - before] === 1 ? 0 : own[axis - before]!
  );
}

/**
 * Returns the elements of a tensor broadcast to a shape. If the tensor already has this shape, its array is returned
 * without a copy.
 */
export function broadcastData(
  { dims, data }: PlainTensor,
  target: readonly number[],
): Float64Array {
  if (dims.length === target.length && dims.every((length, axis) => length === target[axis])) {
    return data;
  }
  return gather({ data, strides: broadcastStrides(dims, target) }, target);
}
