import type { Graph } from "../graph/graph.ts";

/** Options of passes. */
export interface PassOptions {
  /**
   * Names of constants whose values training will change. Passes must not rely on their current values.
   *
   * @default []
   */
  readonly parameters?: readonly string[];
}

/** A named rewrite of a graph. */
export interface Pass {
  /** Name of the pass. For built-in passes it is the name of the function, such as `"mergeEquals"`. */
  readonly name: string;
  /** Short description of the rewrite, for reports. */
  readonly about: string;
  /** Rewrites the graph in place, and returns the number of changes. */
  apply(graph: Graph, options?: PassOptions): number;
}

/** Effect of one pass on a graph. */
export interface PassReport {
  /** Name of the pass. */
  readonly name: string;
  /** Short description of the pass. */
  readonly about: string;
  /** Number of changes that the pass has made. */
  readonly changed: number;
  /** Number of nodes before the pass. */
  readonly before: number;
  /** Number of nodes after the pass. */
  readonly after: number;
}
