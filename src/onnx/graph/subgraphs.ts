/**
 * Subgraphs of nodes: the branches of an If, the body of a Loop.
 *
 * @module
 */

import type { GraphProto, NodeProto } from "../codec/messages.ts";

/** Returns the subgraphs in the attributes of a node. */
export function subgraphsOf(node: NodeProto): GraphProto[] {
  const graphs: GraphProto[] = [];
  for (const { g, graphs: more } of node.attribute) {
    if (g !== undefined) graphs.push(g);
    graphs.push(...more);
  }
  return graphs;
}

/** Returns whether a node has subgraphs. */
export function hasSubgraphs({ attribute }: NodeProto): boolean {
  return attribute.some(({ g, graphs }) => g !== undefined || graphs.length > 0);
}

/** Returns the names of the values outside of a node's subgraphs that the subgraphs use. */
export function capturesOf(node: NodeProto): Set<string> {
  const captured = new Set<string>();
  for (const graph of subgraphsOf(node)) for (const name of freeNames(graph)) captured.add(name);
  return captured;
}

function freeNames(graph: GraphProto): Set<string> {
  const own = new Set(definedIn(graph));
  const free = new Set<string>();
  const use = (name: string) => {
    if (name !== "" && !own.has(name)) free.add(name);
  };
  for (const node of graph.node) {
    node.input.forEach(use);
    capturesOf(node).forEach(use);
  }
  for (const { name } of graph.output) use(name);
  return free;
}

/** Returns the names of the values that a graph defines: inputs, constants and results of nodes. */
export function definedIn(graph: GraphProto): string[] {
  return [
    ...graph.input.map(({ name }) => name),
    ...graph.initializer.map(({ name }) => name),
    ...graph.sparseInitializer.map(({ values }) => values?.name ?? ""),
    ...graph.node.flatMap(({ output }) => output),
  ].filter((name) => name !== "");
}

/** Returns the names of all values that a node's subgraphs define, at any depth. */
export function namesInside(node: NodeProto): string[] {
  return subgraphsOf(node).flatMap((graph) => [
    ...definedIn(graph),
    ...graph.node.flatMap(namesInside),
  ]);
}

/** Returns whether a node's subgraphs contain an operator, at any depth. */
export function hasInside(node: NodeProto, op: string): boolean {
  return subgraphsOf(node).some((graph) =>
    graph.node.some((inner) => inner.opType === op || hasInside(inner, op))
  );
}
