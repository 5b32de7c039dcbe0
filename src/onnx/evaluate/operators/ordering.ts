/**
 * Operators that select elements by value.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { attributeOf, intAttribute } from "../../codec/attributes.ts";
import { around } from "../lines.ts";
import { stridesOf } from "../strides.ts";
import { axisOf, refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";

/** Evaluates TopK. The result is always sorted. Equal elements keep their order; NaN counts as the largest value. */
const topK: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), dims.length, node);
  const k = inputs[1]?.data[0] ?? intAttribute(node, "k", -1);
  const { outer, length, inner } = around(dims, axis);
  if (k < 0 || k > length) throw refused(node, `its k must be from 0 to ${length}`, `${k}`);
  const sign = intAttribute(node, "largest", 1) !== 0 ? 1 : -1;
  const values = allocate(outer * k * inner), indices = allocate(values.length);
  const row = allocate(length), order = Array.from({ length }, (_, i) => i);
  const compare = (i: number, j: number) => sign * descending(row[i]!, row[j]!) || i - j;
  for (let at = 0; at < outer * inner; at++) {
    const block = Math.floor(at / inner), offset = at % inner;
    for (let i = 0; i < length; i++) row[i] = data[(block * length + i) * inner + offset]!;
    order.sort(compare);
    for (let i = 0; i < k; i++) {
      const to = (block * k + i) * inner + offset;
      values[to] = row[order[i]!]!;
      indices[to] = order[i]!;
    }
  }
  const kept = dims.map((each, i) => i === axis ? k : each);
  return [{ type, dims: kept, data: values }, { type: "i64", dims: kept, data: indices }];
};

/**
 * Compares two numbers for descending order. Returns a negative number if a comes before b, and 0 if they are equal.
 * NaN comes first.
 */
function descending(a: number, b: number): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return a > b ? -1 : 1;
}

/** Evaluates NonZero. The result has one column per nonzero element, with its index along each axis. */
const nonZero: Evaluate = (inputs, node) => {
  const { dims, data } = required(inputs, 0, node), strides = stridesOf(dims);
  const places: number[] = [];
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) places.push(i);
  const indices = allocate(dims.length * places.length);
  for (let axis = 0; axis < dims.length; axis++) {
    for (let i = 0; i < places.length; i++) {
      indices[axis * places.length + i] = Math.floor(places[i]! / strides[axis]!) % dims[axis]!;
    }
  }
  return [{ type: "i64", dims: [dims.length, places.length], data: indices }];
};

/**
 * Evaluates Compress: keeps the elements along an axis for which the condition is true. Without an axis, the input is
 * flattened first. Elements beyond the end of the condition are dropped.
 */
const compress: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node),
    { data: condition } = required(inputs, 1, node);
  const isFlat = attributeOf(node, "axis") === undefined;
  const shape = isFlat ? [data.length] : dims;
  const axis = axisOf(intAttribute(node, "axis", 0), shape.length, node);
  const { outer, length, inner } = around(shape, axis);
  const kept = [...condition.keys()].filter((i) => i < length && condition[i] !== 0);
  const compressed = allocate(outer * kept.length * inner);
  for (let block = 0; block < outer; block++) {
    for (let i = 0; i < kept.length; i++) {
      const from = (block * length + kept[i]!) * inner;
      compressed.set(data.subarray(from, from + inner), (block * kept.length + i) * inner);
    }
  }
  const shorter = shape.map((each, i) => i === axis ? kept.length : each);
  return [{ type, dims: shorter, data: compressed }];
};

/** Implementations of TopK, NonZero and Compress. */
export const ORDERING: Operators = { Compress: compress, NonZero: nonZero, TopK: topK };
