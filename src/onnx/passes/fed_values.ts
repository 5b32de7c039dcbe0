import type { Graph } from "../graph/graph.ts";
import { capturesOf } from "../graph/subgraphs.ts";

/** Operators that read only the shape of their input, which may be known before a run. */
const SHAPES = ["Shape", "Size"];

/**
 * Returns the names of the values that depend on the elements of inputs. A runtime may compute all other values once.
 */
export function fedValues(graph: Graph): Set<string> {
  return dependents(graph, graph.inputs.map(({ name }) => name));
}

/** Returns the given names, and the names of all values that depend on the elements of these values. */
export function dependents(graph: Graph, names: readonly string[]): Set<string> {
  const fed = new Set(names);
  for (const node of graph.sort()) {
    const needed = [...node.input, ...capturesOf(node)];
    if (SHAPES.includes(node.opType) || !needed.some((name) => fed.has(name))) continue;
    for (const name of node.output) fed.add(name);
  }
  return fed;
}
