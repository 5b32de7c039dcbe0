import { NoOverloadError } from "../../dispatch/mod.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import { subgraphsOf } from "../graph/subgraphs.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
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
 * @throws {TypeError} when what gives it throws, or gives no function
 */
export function ruleOf(
  node: NodeProto,
  { opset, forward, rules, action }: RuleSearch,
): GradientRule {
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
    throw fail("no control flow must be on the way: unroll it before the export");
  }
  let rule: unknown;
  try {
    rule = rules(op, opset);
  } catch (error) {
    if (!(error instanceof NoOverloadError)) throw noRule(node, op, "an error", error);
    const how = `gradientRules.on([${
      JSON.stringify(op)
    }, Number], () => rule), as the option rules`;
    throw fail(`every operator on the way must have a rule (add one: ${how})`, error);
  }
  if (typeof rule === "function") return rule as GradientRule;
  throw noRule(node, op, Array.isArray(rule) ? "a list" : String(rule));
}

/** What gives a rule is easily taken for the rule itself. */
function noRule(node: NodeProto, op: string, value: string, cause?: unknown): TypeError {
  return new TypeError(
    `Cannot differentiate ${
      showNode(node)
    } as its rule must be a function of a step and a writer, given by ` +
      `another: gradientRules.on([${
        JSON.stringify(op)
      }, Number], () => (step, write) => [share]): ` +
      `current value is ${value}`,
    { cause },
  );
}
