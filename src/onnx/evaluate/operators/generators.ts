/**
 * Operators that create tensors: ranges, fills, one-hot rows.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { attributeOf, intAttribute } from "../../codec/attributes.ts";
import { type ElementType, elementTypeOf } from "../../codec/element_type.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { around } from "../lines.ts";
import { axisOf, refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, plainOf, type PlainTensor, scalar } from "../plain_tensor.ts";

/** Returns the only element of an input. Throws a RangeError if the input has another number of elements. */
function numberOf(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  node: NodeProto,
): number {
  const { data, dims } = required(inputs, index, node);
  if (data.length === 1) return data[0]!;
  throw refused(node, `its input ${index} must be one number`, `a shape of [${dims}]`);
}

const range: Evaluate = (inputs, node) => {
  const [start, limit, delta] = [0, 1, 2].map((i) => numberOf(inputs, i, node));
  const count = Math.ceil((limit! - start!) / delta!);
  if (!Number.isFinite(count)) {
    throw refused(node, "its range must be finite", `${start} to ${limit} by ${delta}`);
  }
  const data = allocate(Math.max(0, count));
  for (let i = 0; i < data.length; i++) data[i] = start! + i * delta!;
  return [{ type: inputs[0]!.type, dims: [data.length], data }];
};

const constantOfShape: Evaluate = (inputs, node) => {
  const dims = Array.from(required(inputs, 0, node).data);
  if (dims.some((length) => length < 0)) {
    throw refused(node, "the lengths of its shape must not be negative", `[${dims}]`);
  }
  const tensor = attributeOf(node, "value")?.t;
  const { type, data } = tensor === undefined ? scalar("f32", 0) : plainOf(tensor);
  return [{ type, dims, data: allocate(countOf(dims)).fill(data[0]!) }];
};

const eyeLike: Evaluate = (inputs, node) => {
  const { dims, type: own } = required(inputs, 0, node);
  if (dims.length !== 2) throw refused(node, "its input must have 2 axes", `[${dims}]`);
  const [rows, columns] = dims as [number, number];
  const type: ElementType = elementTypeOf(intAttribute(node, "dtype", 0)) ?? own;
  const diagonal = intAttribute(node, "k", 0), data = allocate(rows * columns);
  for (let row = 0; row < rows; row++) {
    const column = row + diagonal;
    if (column >= 0 && column < columns) data[row * columns + column] = 1;
  }
  return [{ type, dims, data }];
};

/**
 * Evaluates OneHot: adds an axis along which the element at the index has the value `on` and all others have `off`.
 * If the index is out of range, all elements have `off`.
 */
const oneHot: Evaluate = (inputs, node) => {
  const indices = required(inputs, 0, node), values = required(inputs, 2, node);
  const depth = numberOf(inputs, 1, node);
  const axis = axisOf(intAttribute(node, "axis", -1), indices.dims.length + 1, node);
  const dims = indices.dims.toSpliced(axis, 0, depth);
  const { outer, inner } = around(dims, axis);
  const data = allocate(countOf(dims)).fill(values.data[0]!);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const index = Math.trunc(indices.data[o * inner + i]!);
      const place = index < 0 ? index + depth : index;
      if (place >= 0 && place < depth) data[(o * depth + place) * inner + i] = values.data[1]!;
    }
  }
  return [{ type: values.type, dims, data }];
};

/** Implementations of operators that create tensors, by operator. */
export const GENERATORS: Operators = {
  ConstantOfShape: constantOfShape,
  EyeLike: eyeLike,
  OneHot: oneHot,
  Range: range,
};
