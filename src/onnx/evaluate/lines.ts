/**
 * Operations on lines of elements along one axis.
 *
 * @module
 */

import { allocate } from "./memory.ts";
import { countOf, type PlainTensor } from "./plain_tensor.ts";
import { gather, stridesOf } from "./strides.ts";

/**
 * Computes one line. Reads `n` elements of `from`, starting at index `at`, and writes the results to the same indices
 * of `to`, which contains zeros before the call.
 */
export type Line = (from: Float64Array, to: Float64Array, at: number, n: number) => void;

/** Applies `line` to all lines of a tensor along an axis. Returns a tensor of the same shape. */
export function alongAxis(x: PlainTensor, axis: number, line: Line): PlainTensor {
  const order = x.dims.map((_, i) => i).filter((i) => i !== axis);
  order.push(axis);
  const from = permuted(x, order);
  const n = x.dims[axis]!, data = allocate(from.data.length);
  for (let at = 0; at < data.length; at += n) line(from.data, data, at, n);
  const back = order.map((_, i) => order.indexOf(i));
  return permuted({ type: x.type, dims: from.dims, data }, back);
}

/**
 * Permutes the axes of a tensor: axis i of the result is axis `order[i]` of x. If the order does not change, returns
 * x itself.
 */
export function permuted(x: PlainTensor, order: readonly number[]): PlainTensor {
  if (order.every((axis, i) => axis === i)) return x;
  const strides = stridesOf(x.dims);
  const dims = order.map((axis) => x.dims[axis]!);
  const data = gather({ data: x.data, strides: order.map((axis) => strides[axis]!) }, dims);
  return { type: x.type, dims, data };
}

/**
 * Returns the number of elements over the axes before an axis (`outer`), along the axis (`length`), and over the axes
 * after it (`inner`).
 */
export function around(
  dims: readonly number[],
  axis: number,
): { readonly outer: number; readonly length: number; readonly inner: number } {
  return {
    outer: countOf(dims.slice(0, axis)),
    length: dims[axis]!,
    inner: countOf(dims.slice(axis + 1)),
  };
}
