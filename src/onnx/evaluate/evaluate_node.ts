import { unsupported } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { subgraphsOf } from "../graph/subgraphs.ts";
import type { Evaluate, EvaluateContext, Operators } from "./operator.ts";
import { OPERATORS } from "./operators.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/**
 * What a node's operator does.
 *
 * @param own operators over and above those known here; they go first
 * @throws {UnsupportedNodeError} for an operator that is not known, and for graphs inside of nodes
 */
export function operatorOf(node: NodeProto, own: Operators = {}): Evaluate {
  const key = node.domain === "" || node.domain === "ai.onnx"
    ? node.opType
    : `${node.domain}.${node.opType}`;
  const found = Object.hasOwn(own, key)
    ? own[key]
    : Object.hasOwn(OPERATORS, key)
    ? OPERATORS[key]
    : undefined;
  if (found !== undefined) return found;
  if (subgraphsOf(node).length > 0) {
    throw unsupported("evaluate a graph", node, "no node must have a graph inside");
  }
  throw unsupported(
    "evaluate a graph",
    node,
    `its operators must be known (pass operators: { ${
      JSON.stringify(key)
    }: (inputs, node) => [output] })`,
  );
}

/**
 * What one node makes of these tensors. Throws as {@linkcode operatorOf} does, and a TypeError or RangeError for
 * inputs that the operator does not take.
 */
export function evaluateNode(
  node: NodeProto,
  inputs: readonly (PlainTensor | undefined)[],
  context: EvaluateContext,
  own: Operators = {},
): readonly PlainTensor[] {
  return operatorOf(node, own)(inputs, node, context);
}
