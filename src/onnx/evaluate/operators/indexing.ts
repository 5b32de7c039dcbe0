/**
 * Operators that select elements by index.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { around } from "../lines.ts";
import { stridesOf } from "../strides.ts";
import { axisOf, refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";

/**
 * Returns an index counted from 0. A negative index counts from the end.
 *
 * @throws {RangeError} if it is out of range
 */
// hot
export function place(node: NodeProto, index: number, length: number): number {
  const counted = index < 0 ? index + length : index;
  if (counted >= 0 && counted < length) return counted;
  throw refused(node, `its indices must be from −${length} to ${length - 1}`, `${index}`);
}

const gather: Evaluate = (inputs, node) => {
  const data = required(inputs, 0, node), indices = required(inputs, 1, node);
  const axis = axisOf(intAttribute(node, "axis", 0), data.dims.length, node);
  const { outer, length, inner } = around(data.dims, axis);
  const rows = indices.data.length;
  const places = indices.data.map((index) => place(node, index, length));
  const taken = allocate(outer * rows * inner);
  let to = 0;
  for (let block = 0; block < outer; block++) {
    for (let row = 0; row < rows; row++) {
      const from = (block * length + places[row]!) * inner;
      for (let i = 0; i < inner; i++) taken[to++] = data.data[from + i]!;
    }
  }
  const dims = [...data.dims.slice(0, axis), ...indices.dims, ...data.dims.slice(axis + 1)];
  return [{ type: data.type, dims, data: taken }];
};

/**
 * Returns the position in a tensor of shape `dims` for each element of `indices`, which has the same rank. Along the
 * node's axis, the value of the element is the index. Along the other axes, the index is that of the element itself.
 *
 * @throws {RangeError} if an index is out of range, or a shape does not fit
 */
export function elementPlaces(
  node: NodeProto,
  dims: readonly number[],
  indices: PlainTensor,
): Int32Array {
  const axis = axisOf(intAttribute(node, "axis", 0), dims.length, node);
  const fits = indices.dims.length === dims.length &&
    indices.dims.every((length, i) => i === axis || length <= dims[i]!);
  if (!fits) {
    const requirement =
      `its indices must have ${dims.length} axes, and except along axis ${axis} they must not be longer than the ` +
      `data of the shape [${dims}]`;
    throw refused(node, requirement, `indices of the shape [${indices.dims}]`);
  }
  const strides = stridesOf(dims), places = new Int32Array(indices.data.length);
  const counter = new Int32Array(dims.length);
  for (let i = 0; i < places.length; i++) {
    let at = place(node, indices.data[i]!, dims[axis]!) * strides[axis]!;
    for (let k = 0; k < counter.length; k++) if (k !== axis) at += counter[k]! * strides[k]!;
    places[i] = at;
    for (let k = counter.length - 1; k >= 0 && ++counter[k]! === indices.dims[k]!; k--) {
      counter[k] = 0;
    }
  }
  return places;
}

const gatherElements: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node), indices = required(inputs, 1, node);
  const places = elementPlaces(node, dims, indices);
  const taken = allocate(places.length);
  for (let i = 0; i < places.length; i++) taken[i] = data[places[i]!]!;
  return [{ type, dims: indices.dims, data: taken }];
};

/** Slices of a tensor that rows of indices select. */
export interface Slices {
  /** Position of the first element of each slice, one per row of indices. */
  readonly places: Int32Array;
  /** Number of elements in a slice. */
  readonly size: number;
  /** Shape of a slice. */
  readonly dims: readonly number[];
}

/**
 * Returns the slices of a tensor of shape `dims` that the rows of `indices` along its last axis select.
 *
 * @param batch number of leading axes that the tensor and `indices` have in common
 * @throws {RangeError} if an index is out of range, or a shape does not fit
 */
export function slicesAt(
  node: NodeProto,
  dims: readonly number[],
  indices: PlainTensor,
  batch: number,
): Slices {
  const depth = indices.dims.at(-1) ?? 0;
  const fits = indices.dims.length > batch && batch + depth <= dims.length &&
    dims.slice(0, batch).every((length, axis) => length === indices.dims[axis]);
  if (!fits) {
    const leading = batch === 0 ? "" : `start with the lengths [${dims.slice(0, batch)}], and `;
    const requirement =
      `its indices must ${leading}have a last axis of length at most ${dims.length - batch}, ` +
      `because the data have the shape [${dims}]`;
    throw refused(node, requirement, `indices of the shape [${indices.dims}]`);
  }
  const strides = stridesOf(dims);
  const rows = countOf(indices.dims.slice(0, indices.dims.length - 1));
  const perBatch = countOf(indices.dims.slice(batch, indices.dims.length - 1));
  const batchSize = countOf(dims.slice(batch));
  const places = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    let at = Math.floor(row / perBatch) * batchSize;
    for (let k = 0; k < depth; k++) {
      const index = place(node, indices.data[row * depth + k]!, dims[batch + k]!);
      at += index * strides[batch + k]!;
    }
    places[row] = at;
  }
  const size = countOf(dims.slice(batch + depth));
  return { places, size, dims: dims.slice(batch + depth) };
}

const gatherND: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node), indices = required(inputs, 1, node);
  const slices = slicesAt(node, dims, indices, intAttribute(node, "batch_dims", 0));
  const { places, size } = slices;
  const taken = allocate(places.length * size);
  for (let row = 0; row < places.length; row++) {
    for (let i = 0; i < size; i++) taken[row * size + i] = data[places[row]! + i]!;
  }
  return [{ type, dims: [...indices.dims.slice(0, -1), ...slices.dims], data: taken }];
};

/** Implementations of Gather, GatherElements and GatherND. */
export const INDEXING: Operators = {
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherND,
};
