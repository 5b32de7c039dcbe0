import { unsupported } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { subgraphsOf } from "../graph/subgraphs.ts";
import type { Evaluate, EvaluateContext, Operators } from "./operator.ts";
import { OPERATORS } from "./operators.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/**
 * Returns the implementation of a node's operator.
 *
 * @param own custom operators, which have priority
 * @throws {UnsupportedNodeError} if the operator is unknown, or the node has subgraphs
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
    throw unsupported("evaluate a graph", node, "nodes must not have subgraphs");
  }
  throw unsupported(
    "evaluate a graph",
    node,
    `its operators must be supported (pass operators: { ${
      JSON.stringify(key)
    }: (inputs, node) => [output] })`,
  );
}

/** Evaluates one node. Throws as {@linkcode operatorOf} does, and a TypeError or RangeError for invalid inputs. */
export function evaluateNode(
  node: NodeProto,
  inputs: readonly (PlainTensor | undefined)[],
  context: EvaluateContext,
  own: Operators = {},
): readonly PlainTensor[] {
  return operatorOf(node, own)(inputs, node, context);
}
