import { NoOverloadError } from "../../dispatch/mod.ts";
import type { NodeProto } from "../messages.ts";
import { subgraphsOf } from "../subgraphs.ts";
import { UnsupportedNodeError } from "../unsupported_node_error.ts";
import { placeOf } from "./path.ts";
import type { GradientRule } from "./rule.ts";
import type { GradientRules } from "./rules.ts";

/** Where rules are looked up, and for what. */
export interface RuleSearch {
  readonly opset: number;
  /** The nodes that were there before anything was written: a place is counted among them. */
  readonly forward: readonly NodeProto[];
  readonly rules: GradientRules;
  /** What is done, as errors say it. */
  readonly action: string;
}

/**
 * The rule of a node.
 *
 * @throws {UnsupportedNodeError} when there is none, and for control flow
 */
export function ruleOf(
  node: NodeProto,
  { opset, forward, rules, action }: RuleSearch,
): GradientRule {
  const { opType, domain } = node;
  const op = domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`;
  const fail = (requirement: string, cause?: unknown) =>
    new UnsupportedNodeError({
      ...{ action, requirement, op, cause },
      node: node.name || node.output.join(),
      place: placeOf(forward, node),
    });
  if (subgraphsOf(node).length > 0) {
    throw fail("no control flow must be on the way: unroll it before the export");
  }
  try {
    return rules(op, opset);
  } catch (error) {
    if (!(error instanceof NoOverloadError)) throw error;
    const how = `gradientRules.on([${
      JSON.stringify(op)
    }, Number], () => rule), as the option rules`;
    throw fail(`every operator on the way must have a rule (add one: ${how})`, error);
  }
}
