import { NoOverloadError } from "../../dispatch/mod.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import { subgraphsOf } from "../graph/subgraphs.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { placeOf } from "./path.ts";
import type { OperatorGradient } from "./rule.ts";
import type { GradientRuleSet } from "./rules.ts";

/** Rules of a differentiation, with the context for error messages. */
export interface RuleSearch {
  readonly opset: number;
  /** Nodes that the graph had before the differentiation. Error messages give the position of a node among them. */
  readonly forward: readonly NodeProto[];
  readonly rules: GradientRuleSet;
  /** Attempted action, for error messages. */
  readonly action: string;
}

/**
 * Returns the rule of a node.
 *
 * @throws {UnsupportedNodeError} if the operator has no rule, or the node has subgraphs
 * @throws {TypeError} if the function that returns the rule throws, or does not return a function
 */
export function ruleOf(
  node: NodeProto,
  { opset, forward, rules, action }: RuleSearch,
): OperatorGradient {
  const { opType, domain } = node;
  const op = domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`;
  const fail = (requirement: string, cause?: unknown) =>
    new UnsupportedNodeError({
      action,
      requirement,
      op,
      cause,
      node: node.name || node.output.join(),
      place: placeOf(forward, node),
    });
  if (subgraphsOf(node).length > 0) {
    throw fail(
      "nodes on the path between the values must not have subgraphs (unroll control flow before the export)",
    );
  }
  let rule: unknown;
  try {
    rule = rules(op, opset);
  } catch (error) {
    if (!(error instanceof NoOverloadError)) throw noRule(node, op, "an error", error);
    const how = `gradientRules.on([${
      JSON.stringify(op)
    }, Number], () => rule), as the option rules`;
    throw fail(
      `every operator on the path between the values must have a rule (add one: ${how})`,
      error,
    );
  }
  if (typeof rule === "function") return rule as OperatorGradient;
  throw noRule(node, op, Array.isArray(rule) ? "a list" : String(rule));
}

/**
 * Returns the error for a row of the rule set whose function does not return a rule. A common mistake is to pass the
 * rule itself as this function.
 */
function noRule(node: NodeProto, op: string, value: string, cause?: unknown): TypeError {
  return new TypeError(
    `Cannot differentiate ${
      showNode(node)
    }: the entry of its operator must return a rule, which is a function of a step and a writer: ` +
      `gradientRules.on([${JSON.stringify(op)}, Number], () => (step, write) => [share]); ` +
      `got ${value}`,
    { cause },
  );
}
