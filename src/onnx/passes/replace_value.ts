import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";

/** May others take the place of what this node makes: does it not come out, and is it used in no graph inside? */
export function isReplaceable(graph: Graph, node: NodeProto): boolean {
  return node.output.every((name) => !graph.isOutput(name) && !isUsedInside(graph, name));
}

/** Does a graph inside of a node use it, where no edit gets? */
export function isUsedInside(graph: Graph, name: string): boolean {
  return graph.uses(name).some(({ index }) => index < 0);
}

/** Takes a node out; what used its outputs uses these values instead, in their order. */
export function replaceOutputs(graph: Graph, node: NodeProto, values: readonly string[]): void {
  for (const [i, name] of node.output.entries()) {
    if (name !== "") graph.replaceUses(name, values[i] ?? "");
  }
  graph.remove(node);
}
