import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { capturesOf } from "../graph/subgraphs.ts";

/** Nodes and values on the paths between some values of a graph. */
export interface Path {
  /** Nodes on the paths, in the order of the graph. */
  readonly nodes: readonly NodeProto[];
  /** Names of the differentiable values that depend on `from`, including those in `from`. */
  readonly values: ReadonlySet<string>;
}

/**
 * Returns the nodes that depend on `from` and on which `to` depends. Dependences through values that are not floats
 * are ignored, because such values have no derivative.
 */
export function between(
  graph: Graph,
  facts: GraphFacts,
  from: readonly string[],
  to: readonly string[],
): Path {
  const values = new Set(from), needed = new Set(to);
  const isFlowing = (name: string) => values.has(name);
  const after = graph.sort().filter((node) => {
    if (!usedBy(node).some(isFlowing)) return false;
    for (const name of node.output) {
      if (name !== "" && isContinuous(facts, name)) values.add(name);
    }
    return node.output.some(isFlowing);
  });
  const nodes = after.toReversed().filter((node) => {
    if (!node.output.some((name) => needed.has(name))) return false;
    for (const name of usedBy(node)) if (isFlowing(name)) needed.add(name);
    return true;
  });
  return { nodes: nodes.reverse(), values };
}

/** Returns the names of the inputs of a node, and of the values that its subgraphs capture. */
export function usedBy(node: NodeProto): readonly string[] {
  return node.attribute.length === 0 ? node.input : [...node.input, ...capturesOf(node)];
}

function isContinuous(facts: GraphFacts, name: string): boolean {
  const { type } = facts.of(name);
  return type === undefined || isFloat(type);
}
