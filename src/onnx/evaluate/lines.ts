/**
 * Lines of elements along one axis.
 *
 * @module
 */

import { allocate } from "./memory.ts";
import { countOf, type PlainTensor } from "./plain_tensor.ts";
import { gather, stridesOf } from "./strides.ts";

/** What becomes of one line, `n` elements from `at` on; `to` is all zeros before. */
export type Line = (from: Float64Array, to: Float64Array, at: number, n: number) => void;

/** The tensor of the same lengths whose lines along an axis come from those of `x`. */
export function alongAxis(x: PlainTensor, axis: number, line: Line): PlainTensor {
  const order = x.dims.map((_, i) => i).filter((i) => i !== axis);
  order.push(axis);
  const from = permuted(x, order);
  const n = x.dims[axis]!, data = allocate(from.data.length);
  for (let at = 0; at < data.length; at += n) line(from.data, data, at, n);
  const back = order.map((_, i) => order.indexOf(i));
  return permuted({ type: x.type, dims: from.dims, data }, back);
}

/** The tensor with its axes in another order; its own elements where the order is the old one. */
export function permuted(x: PlainTensor, order: readonly number[]): PlainTensor {
  if (order.every((axis, i) => axis === i)) return x;
  const strides = stridesOf(x.dims);
  const dims = order.map((axis) => x.dims[axis]!);
  const data = gather({ data: x.data, strides: order.map((axis) => strides[axis]!) }, dims);
  return { type: x.type, dims, data };
}

/** How many elements stand in front of an axis, along it, and behind it. */
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
