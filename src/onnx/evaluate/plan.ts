import type { NodeProto } from "../codec/messages.ts";
import type { Graph } from "../graph/graph.ts";
import { operatorOf } from "./evaluate_node.ts";
import type { Evaluate, Operators } from "./operator.ts";

/** A node to evaluate, and the implementation of its operator. */
export interface PlanStep {
  readonly node: NodeProto;
  readonly evaluate: Evaluate;
  /** Names of the values that no later step needs, so that their memory can be freed. */
  readonly done: readonly string[];
}

/** Nodes to evaluate, in order. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Names of the wanted values and of all values that they depend on. Inputs of the graph among them must be fed. */
  readonly needed: ReadonlySet<string>;
}

/**
 * Returns the nodes on which the wanted values depend, in the order of evaluation. Throws as {@linkcode operatorOf}
 * does.
 */
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
    // Iterating backward, the first node that uses a value is its last user.
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
