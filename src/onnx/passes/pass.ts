import type { Graph } from "../graph/graph.ts";

/** What a pass must know of a graph besides the graph. */
export interface PassOptions {
  /**
   * Names of constants whose numbers will change, as training changes them: nothing may follow from the numbers that
   * they have now.
   *
   * @default []
   */
  readonly parameters?: readonly string[];
}

/** A way to rewrite a graph, by name. */
export interface Pass {
  /** The name of its function: `"mergeEquals"`. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly about: string;
  /** Rewrites the graph in place; answers with how many places it changed. */
  apply(graph: Graph, options?: PassOptions): number;
}

/** What one pass did to a graph. */
export interface PassReport {
  /** The name of the pass. */
  readonly name: string;
  /** What it is for. */
  readonly about: string;
  /** How many places it changed. */
  readonly changed: number;
  /** The number of nodes before it. */
  readonly before: number;
  /** The number of nodes after it. */
  readonly after: number;
}
