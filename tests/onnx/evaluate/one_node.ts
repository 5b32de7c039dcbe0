/**
 * One node by its attributes, and tensors by their lengths.
 *
 * @module
 */

import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { ElementType } from "../../../src/onnx/mod.ts";
import { evaluateAll, type OpOptions } from "./evaluate_op.ts";

/** A tensor of these lengths and numbers. */
export function tensor(
  dims: readonly number[],
  values: ArrayLike<number>,
  type: ElementType = "f64",
): PlainTensor {
  return { type, dims, data: Float64Array.from(values) };
}

/** A tensor of whole numbers. */
export function whole(dims: readonly number[], values: ArrayLike<number>): PlainTensor {
  return tensor(dims, values, "i64");
}

/** The first output of a node of this operator. */
export function outputOf(
  op: string,
  inputs: readonly (PlainTensor | undefined)[],
  options: OpOptions = {},
): PlainTensor {
  return evaluateAll(op, inputs, options)[0]!;
}
