/**
 * Tensors of the evaluator: plain numbers in double precision.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { TensorProto } from "../codec/messages.ts";
import { type TensorElements, tensorType, tensorValues } from "../codec/tensor_proto.ts";
import { floatOfHalf } from "./operators/rounding.ts";

/**
 * A tensor of plain numbers. All types are stored as float64: integers are exact up to 2^53, booleans are 0 and 1.
 *
 * Tensors may share their elements (Reshape, Identity), so do not modify them.
 */
export interface PlainTensor {
  /** Element type in the graph. */
  readonly type: ElementType;
  /** Shape; `[]` is a scalar. */
  readonly dims: readonly number[];
  /** Elements in row-major order. */
  readonly data: Float64Array;
}

/** Creates a plain tensor from values in row-major order. A Float64Array is used without a copy. */
export function plainTensor(
  type: ElementType,
  dims: readonly number[],
  values: ArrayLike<number>,
): PlainTensor {
  return { type, dims, data: values instanceof Float64Array ? values : Float64Array.from(values) };
}

/** Creates a scalar. */
export function scalar(type: ElementType, value: number): PlainTensor {
  return { type, dims: [], data: Float64Array.of(value) };
}

/** Creates an int64 tensor with one axis, such as a shape or a list of axes. */
export function wholeNumbers(values: readonly number[]): PlainTensor {
  return plainTensor("i64", [values.length], values);
}

/** Returns the number of elements of a shape. */
export function countOf(dims: readonly number[]): number {
  let count = 1;
  for (const length of dims) count *= length;
  return count;
}

/** Returns a constant as a plain tensor. Throws as {@linkcode tensorValues} does. */
export function plainOf(tensor: TensorProto): PlainTensor {
  const type = tensorType(tensor);
  return {
    type,
    dims: tensor.dims.map(Number),
    data: doublesOf(type, tensorValues(tensor)),
  };
}

/**
 * Converts elements to doubles. Elements of 16-bit floats are given as their bits in a Uint16Array. A Float64Array is
 * returned without a copy.
 */
export function doublesOf(type: ElementType, values: TensorElements): Float64Array {
  if (values instanceof Float64Array) return values;
  const data = new Float64Array(values.length);
  if (values instanceof Uint16Array && (type === "f16" || type === "bf16")) {
    for (let i = 0; i < data.length; i++) data[i] = floatOfHalf(type, values[i]!);
  } else for (let i = 0; i < data.length; i++) data[i] = Number(values[i]);
  return data;
}
