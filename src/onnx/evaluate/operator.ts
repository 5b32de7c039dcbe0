/**
 * Interface of operators of the evaluator.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** Context of an operator, apart from its node. */
export interface EvaluateContext {
  /** Version of ai.onnx that the model imports. */
  readonly opset: number;
}

/**
 * Computes the outputs of a node from its inputs (`undefined` if omitted), with one entry per named output. Outputs
 * named "" may be omitted. Inputs must not be modified, but may be returned.
 */
export type Evaluate = (
  inputs: readonly (PlainTensor | undefined)[],
  node: NodeProto,
  context: EvaluateContext,
) => readonly PlainTensor[];

/** Implementations by operator: "Add", or "<domain>.<op>" for other domains, such as "com.microsoft.QuickGelu". */
export type Operators = Readonly<Record<string, Evaluate>>;
