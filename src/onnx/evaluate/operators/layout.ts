/**
 * Operators that move elements: concatenation, splitting, slicing, repetition.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import { broadcastData, broadcastDims } from "../broadcast.ts";
import { permuted } from "../lines.ts";
import { axisOf, listOf, refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { pad } from "./pad.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { slice } from "./slice.ts";
import { copyInto, gather, stridesOf } from "../strides.ts";

const transpose: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), rank = x.dims.length;
  const order = intsAttribute(node, "perm") ?? x.dims.map((_, axis) => rank - 1 - axis);
  if (order.length !== rank || x.dims.some((_, axis) => !order.includes(axis))) {
    throw refused(node, `its perm must contain each of ${rank} axes once`, `[${order}]`);
  }
  return [permuted(x, order)];
};

const expand: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), shape = Array.from(required(inputs, 1, node).data);
  const dims = broadcastDims(x.dims, shape);
  if (dims === undefined) {
    throw refused(node, `its shape must broadcast with [${x.dims}]`, `[${shape}]`);
  }
  return [{ type: x.type, dims, data: broadcastData(x, dims) }];
};

const tile: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), repeats = Array.from(required(inputs, 1, node).data);
  if (repeats.length !== x.dims.length || repeats.some((count) => count < 0)) {
    throw refused(
      node,
      `its repeats must be ${x.dims.length} non-negative integers`,
      `[${repeats}]`,
    );
  }
  const strides = stridesOf(x.dims);
  // Treat the repetition as an additional axis with stride 0.
  const data = gather(
    { data: x.data, strides: strides.flatMap((stride) => [0, stride]) },
    x.dims.flatMap((length, axis) => [repeats[axis]!, length]),
  );
  return [{ type: x.type, dims: x.dims.map((length, axis) => length * repeats[axis]!), data }];
};

const concat: Evaluate = (inputs, node) => {
  const all = inputs.map((_, i) => required(inputs, i, node));
  const first = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", 0), first.dims.length, node);
  const isAlike = ({ dims }: PlainTensor) =>
    dims.length === first.dims.length &&
    dims.every((length, i) => i === axis || length === first.dims[i]);
  const odd = all.find((each) => !isAlike(each));
  if (odd !== undefined) {
    throw refused(
      node,
      `all inputs must have the shape [${first.dims}] except along axis ${axis}`,
      `[${odd.dims}]`,
    );
  }
  const dims = first.dims.with(axis, all.reduce((sum, each) => sum + each.dims[axis]!, 0));
  const data = allocate(countOf(dims)), strides = stridesOf(dims);
  let offset = 0;
  for (const each of all) {
    const from = { data: each.data, strides: stridesOf(each.dims) };
    copyInto({ data, strides, offset }, from, each.dims);
    offset += each.dims[axis]! * strides[axis]!;
  }
  return [{ type: first.type, dims, data }];
};

const split: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", 0), x.dims.length, node);
  const length = x.dims[axis]!, count = intAttribute(node, "num_outputs", node.output.length);
  const lengths = listOf(inputs, 1, node, "split") ?? evenLengths(length, count);
  const isWhole = lengths.every((part) => part >= 0) &&
    lengths.reduce((sum, part) => sum + part, 0) === length;
  if (!isWhole) {
    throw refused(node, `the lengths of its parts must sum to ${length}`, `[${lengths}]`);
  }
  const strides = stridesOf(x.dims);
  let offset = 0;
  return lengths.map((part) => {
    const dims = x.dims.with(axis, part);
    const data = gather({ data: x.data, strides, offset }, dims);
    offset += part * strides[axis]!;
    return { type: x.type, dims, data };
  });
};

/** Splits a length into `count` equal lengths. The last one is shorter if the division leaves a remainder. */
function evenLengths(length: number, count: number): number[] {
  const part = Math.ceil(length / count);
  return Array.from({ length: count }, (_, i) => i < count - 1 ? part : length - part * i);
}

/** Evaluates Trilu: keeps the upper or lower triangle of matrices, and sets the other elements to zero. */
const trilu: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  if (x.dims.length < 2) throw refused(node, "its input must have at least 2 axes", `[${x.dims}]`);
  const diagonal = inputs[1]?.data[0] ?? 0, isUpper = intAttribute(node, "upper", 1) === 1;
  const [rows, columns] = x.dims.slice(-2) as [number, number];
  const data = allocate(x.data.length);
  for (let i = 0; i < data.length; i++) {
    const column = i % columns, row = Math.floor(i / columns) % rows;
    const above = column - row - diagonal;
    if (isUpper ? above >= 0 : above <= 0) data[i] = x.data[i]!;
  }
  return [{ type: x.type, dims: x.dims, data }];
};

/** Implementations of operators that move elements, by operator. */
export const LAYOUT: Operators = {
  Concat: concat,
  Expand: expand,
  Pad: pad,
  Slice: slice,
  Split: split,
  Tile: tile,
  Transpose: transpose,
  Trilu: trilu,
};
