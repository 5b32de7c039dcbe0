import type { Graph } from "../graph/graph.ts";
import { capturesOf } from "../graph/subgraphs.ts";

/** Operators that look at nothing but a shape, which may be known before anything is fed. */
const SHAPES = ["Shape", "Size"];

/** The values that depend on the numbers that are fed. All others the runtime may compute once and for all. */
export function fedValues(graph: Graph): Set<string> {
  return dependents(graph, graph.inputs.map(({ name }) => name));
}

/** Some values, and all that depend on their numbers. */
export function dependents(graph: Graph, names: readonly string[]): Set<string> {
  const fed = new Set(names);
  for (const node of graph.sort()) {
    const needed = [...node.input, ...capturesOf(node)];
    if (SHAPES.includes(node.opType) || !needed.some((name) => fed.has(name))) continue;
    for (const name of node.output) fed.add(name);
  }
  return fed;
}
