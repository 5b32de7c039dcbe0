/**
 * One node, evaluated by itself.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { NodeProtoSchema } from "onnx-buf";
import { attributeProtos, type Attributes } from "../../../src/onnx/attributes.ts";
import { evaluateNode } from "../../../src/onnx/evaluate/evaluate_node.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { ElementType } from "../../../src/onnx/mod.ts";

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

/** How a node is to be. */
export interface OneNode {
  readonly attributes?: Attributes;
  /** @default 18 */
  readonly opset?: number;
  /** @default "" */
  readonly domain?: string;
}

/** What a node of this operator makes of these tensors. */
export function outputsOf(
  op: string,
  inputs: readonly (PlainTensor | undefined)[],
  { attributes = {}, opset = 18, domain = "" }: OneNode = {},
): readonly PlainTensor[] {
  const node = create(NodeProtoSchema, {
    name: "it",
    opType: op,
    domain,
    attribute: attributeProtos(attributes),
  });
  return evaluateNode(node, inputs, { opset });
}

/** The first output of a node of this operator. */
export function outputOf(
  op: string,
  inputs: readonly (PlainTensor | undefined)[],
  options: OneNode = {},
): PlainTensor {
  return outputsOf(op, inputs, options)[0]!;
}
