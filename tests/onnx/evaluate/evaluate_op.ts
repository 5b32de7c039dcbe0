/**
 * One node at a time, and results compared to the last bit.
 *
 * @module
 */

import { assert } from "@std/assert";
import { create } from "@bufbuild/protobuf";
import { NodeProtoSchema } from "onnx-buf";
import { attributeProtos, type Attributes } from "../../../src/onnx/codec/attributes.ts";
import { evaluateNode } from "../../../src/onnx/evaluate/evaluate_node.ts";
import { type PlainTensor, plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { ElementType } from "../../../src/onnx/mod.ts";

/** Options for the evaluation of a node. */
export interface OpOptions {
  readonly attributes?: Attributes;
  /** Number of outputs of the node. */
  readonly outputs?: number;
  readonly opset?: number;
}

/** A tensor; without lengths a list, or a scalar where it is one number. */
export function tensor(
  type: ElementType,
  values: number | readonly number[],
  dims?: readonly number[],
): PlainTensor {
  if (typeof values === "number") return plainTensor(type, dims ?? [], [values]);
  return plainTensor(type, dims ?? [values.length], values);
}

/** A tensor of 32-bit floats. */
export function f32(values: number | readonly number[], ...dims: readonly number[]): PlainTensor {
  return tensor("f32", values, dims.length === 0 ? undefined : dims);
}

/** A tensor of 64-bit whole numbers. */
export function i64(values: number | readonly number[], ...dims: readonly number[]): PlainTensor {
  return tensor("i64", values, dims.length === 0 ? undefined : dims);
}

/** A tensor of truth values. */
export function bool(values: number | readonly number[], ...dims: readonly number[]): PlainTensor {
  return tensor("bool", values, dims.length === 0 ? undefined : dims);
}

/** All that a node makes of some tensors. */
export function evaluateAll(
  op: string,
  inputs: readonly (PlainTensor | undefined)[],
  { attributes = {}, outputs = 1, opset = 21 }: OpOptions = {},
): readonly PlainTensor[] {
  const node = create(NodeProtoSchema, {
    name: "it",
    opType: op,
    input: inputs.map((each, i) => each === undefined ? "" : `in${i}`),
    output: Array.from({ length: outputs }, (_, i) => `out${i}`),
    attribute: attributeProtos(attributes),
  });
  return evaluateNode(node, inputs, { opset });
}

/** The first thing that a node makes of some tensors. */
export function evaluate(
  op: string,
  inputs: readonly (PlainTensor | undefined)[],
  attributes: Attributes = {},
): PlainTensor {
  return evaluateAll(op, inputs, { attributes })[0]!;
}

/** Fails unless two tensors are the same to the last bit: -0 is not 0, and NaN is NaN. */
export function assertSame(actual: PlainTensor | undefined, expected: PlainTensor): void {
  const show = ({ type, dims, data }: PlainTensor) =>
    `${type}[${dims}] ${Array.from(data, (x) => Object.is(x, -0) ? "-0" : `${x}`).join(" ")}`;
  assert(actual !== undefined, "there is no such tensor");
  assert(show(actual) === show(expected), `${show(actual)}\nfor ${show(expected)}`);
}

/** Fails unless all numbers are within some units in the last place of those expected. */
export function assertNear(
  actual: PlainTensor,
  expected: readonly number[],
  units: number = 4,
): void {
  assert(actual.data.length === expected.length, `${actual.data.length} for ${expected.length}`);
  expected.forEach((right, i) => {
    const value = actual.data[i]!;
    const isNear = Object.is(value, right) ||
      Math.abs(value - right) <= units * Number.EPSILON * Math.abs(right);
    assert(isNear, `${value} for ${right} at ${i}`);
  });
}
