/**
 * What an operator is to the evaluator.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** What else than its node an operator may depend on. */
export interface EvaluateContext {
  /** The version of ai.onnx that the model imports. */
  readonly opset: number;
}

/**
 * What a node makes of its inputs (`undefined`: left out). One entry per output the node names; outputs with name ""
 * may be left out. Inputs are not to be written into, but may be given back.
 */
export type Evaluate = (
  inputs: readonly (PlainTensor | undefined)[],
  node: NodeProto,
  context: EvaluateContext,
) => readonly PlainTensor[];

/** Operator → what it does: "Add", or "<domain>.<op>" for other domains, as "com.microsoft.QuickGelu". */
export type Operators = Readonly<Record<string, Evaluate>>;
