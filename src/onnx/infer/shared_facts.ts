/**
 * Facts that several passes share.
 *
 * @module
 */

import type { Graph } from "../graph/graph.ts";
import { GraphFacts } from "./facts.ts";

const shared = new WeakMap<Graph, GraphFacts>();

/**
 * Calls a function that edits a graph by steps that keep the meaning of all existing values, and returns its result.
 * Meanwhile {@linkcode factsOf} returns the same facts, so that types and shapes are inferred once instead of once per
 * step.
 */
export function withSharedFacts<Result>(graph: Graph, edit: () => Result): Result {
  if (shared.has(graph)) return edit();
  shared.set(graph, new GraphFacts(graph));
  try {
    return edit();
  } finally {
    shared.delete(graph);
  }
}

/** Discards shared facts of a graph, because a step may have changed the type or the shape of a value. */
export function discardFacts(graph: Graph): void {
  if (shared.has(graph)) shared.set(graph, new GraphFacts(graph));
}

/** Returns the facts that the steps of {@linkcode withSharedFacts} share; new facts outside of it. */
export function factsOf(graph: Graph): GraphFacts {
  return shared.get(graph) ?? new GraphFacts(graph);
}
