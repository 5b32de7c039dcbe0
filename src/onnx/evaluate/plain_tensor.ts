/**
 * Tensors as the evaluator has them: plain numbers in double precision.
 *
 * @module
 */

import type { ElementType } from "../codec/element_type.ts";
import type { TensorProto } from "../codec/messages.ts";
import { tensorType, type TensorValues, tensorValues } from "../codec/tensor_proto.ts";
import { floatOfHalf } from "./operators/rounding.ts";

/**
 * A tensor as plain numbers: float64 whatever its type; whole numbers too (exact to 2^53), truth values 0 and 1.
 *
 * Tensors share their numbers where these are the same (Reshape, Identity): do not write into them.
 */
export interface PlainTensor {
  /** The type that the graph has for its elements. */
  readonly type: ElementType;
  /** How many along each axis; `[]` is a scalar. */
  readonly dims: readonly number[];
  /** The elements, the last axis fastest. */
  readonly data: Float64Array;
}

/** A plain tensor of these numbers. */
export function plainTensor(
  type: ElementType,
  dims: readonly number[],
  values: ArrayLike<number>,
): PlainTensor {
  return { type, dims, data: values instanceof Float64Array ? values : Float64Array.from(values) };
}

/** One number that belongs to no axis. */
export function scalar(type: ElementType, value: number): PlainTensor {
  return { type, dims: [], data: Float64Array.of(value) };
}

/** A list of whole numbers, as shapes and axes are. */
export function wholeNumbers(values: readonly number[]): PlainTensor {
  return plainTensor("i64", [values.length], values);
}

/** How many elements a tensor of these lengths has. */
export function countOf(dims: readonly number[]): number {
  let count = 1;
  for (const length of dims) count *= length;
  return count;
}

/** The numbers of a constant of a model. Throws as {@linkcode tensorValues} does. */
export function plainOf(tensor: TensorProto): PlainTensor {
  const type = tensorType(tensor);
  return {
    type,
    dims: tensor.dims.map(Number),
    data: doublesOf(type, tensorValues(tensor)),
  };
}

/** Values of an array that holds a type, as doubles; 16-bit floats may be given as their bits. */
export function doublesOf(type: ElementType, values: TensorValues): Float64Array {
  if (values instanceof Float64Array) return values;
  const data = new Float64Array(values.length);
  if (values instanceof Uint16Array && (type === "f16" || type === "bf16")) {
    for (let i = 0; i < data.length; i++) data[i] = floatOfHalf(type, values[i]!);
  } else for (let i = 0; i < data.length; i++) data[i] = Number(values[i]);
  return data;
}
