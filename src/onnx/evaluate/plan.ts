import type { NodeProto } from "../codec/messages.ts";
import type { Graph } from "../graph/graph.ts";
import { operatorOf } from "./evaluate_node.ts";
import type { Evaluate, Operators } from "./operator.ts";

/** One node's turn. */
export interface PlanStep {
  readonly node: NodeProto;
  readonly evaluate: Evaluate;
  /** Names of values that nobody needs after it. */
  readonly done: readonly string[];
}

/** What must be computed, in order, for some values to be known. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Names of inputs that must be fed for it. */
  readonly needed: ReadonlySet<string>;
}

/** The nodes that make these values, from first to last. Throws as {@linkcode operatorOf} does. */
export function planFor(
  graph: Graph,
  order: readonly NodeProto[],
  wanted: readonly string[],
  own: Operators,
): Plan {
  const needed = new Set(wanted);
  const steps: PlanStep[] = [];
  for (const node of [...order].reverse()) {
    if (node.opType === "Constant" || !node.output.some((name) => needed.has(name))) continue;
    // Seen from the end, whoever needs a value first is the last to do so.
    const done = new Set<string>();
    for (const name of node.input) {
      if (name === "" || graph.constant(name) !== undefined) continue;
      if (!needed.has(name)) done.add(name);
      needed.add(name);
    }
    for (const name of node.output) if (!needed.has(name)) done.add(name);
    steps.push({ node, evaluate: operatorOf(node, own), done: [...done] });
  }
  return { steps: steps.reverse(), needed };
}
