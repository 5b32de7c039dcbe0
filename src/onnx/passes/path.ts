import { isFloat } from "../codec/element_type.ts";
import type { Graph } from "../graph/graph.ts";
import type { Facts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { capturesOf } from "../graph/subgraphs.ts";

/** What lies between values of a graph. */
export interface Path {
  /** The nodes, in the graph's order. */
  readonly nodes: readonly NodeProto[];
  /** The values, those at both ends among them, that change a little where those at its beginning do. */
  readonly values: ReadonlySet<string>;
}

/** The nodes that some values need and that depend on others, over floats alone: others do not change a little. */
export function between(
  graph: Graph,
  facts: Facts,
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

/** What a node is made from, inside of graphs in it too. */
export function usedBy(node: NodeProto): readonly string[] {
  return node.attribute.length === 0 ? node.input : [...node.input, ...capturesOf(node)];
}

function isContinuous(facts: Facts, name: string): boolean {
  const { type } = facts.of(name);
  return type === undefined || isFloat(type);
}
