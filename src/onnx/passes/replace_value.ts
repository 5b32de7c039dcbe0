import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";

/**
 * Returns whether other values may replace the results of a node: they are not outputs, and no subgraph uses them.
 */
export function isReplaceable(graph: Graph, node: NodeProto): boolean {
  return node.output.every((name) => !graph.isOutput(name) && !isUsedInside(graph, name));
}

/** Returns whether a subgraph uses a value. Passes do not edit subgraphs, so they must keep such a value. */
export function isUsedInside(graph: Graph, name: string): boolean {
  return graph.uses(name).some(({ index }) => index < 0);
}

/** Removes a node, and makes all nodes that use its outputs use `values` instead, in the order of the outputs. */
export function replaceOutputs(graph: Graph, node: NodeProto, values: readonly string[]): void {
  for (const [i, name] of node.output.entries()) {
    if (name !== "") graph.replaceUses(name, values[i] ?? "");
  }
  graph.remove(node);
}
