import type { Graph } from "../graph.ts";
import type { NodeProto } from "../messages.ts";
import { capturesOf } from "../subgraphs.ts";

/** What lies between values of a graph. */
export interface Path {
  /** The nodes, in the graph's order. */
  readonly nodes: readonly NodeProto[];
  /** The values, those at both ends among them, that depend on where it begins. */
  readonly values: ReadonlySet<string>;
}

/** The nodes that one value needs and that depend on others. */
export function between(graph: Graph, from: readonly string[], to: string): Path {
  const order = graph.sort(), values = new Set(from), needed = new Set([to]);
  const inputs = (node: NodeProto) => [...node.input, ...capturesOf(node)];
  const after = order.filter((node) => {
    if (!inputs(node).some((name) => values.has(name))) return false;
    for (const name of node.output) values.add(name);
    return true;
  });
  const nodes = after.toReversed().filter((node) => {
    if (!node.output.some((name) => name !== "" && needed.has(name))) return false;
    for (const name of inputs(node)) needed.add(name);
    return true;
  });
  return { nodes: nodes.reverse(), values };
}
