import type {
  Backend,
  Edges,
  EdgesOptions,
  FrameBuffers,
  Pairs,
  PairsOptions,
} from "../../backend/backend.ts";

/**
 * Pair lists and edge lists of a batch on a backend, one for each combination of options. Each list is created when
 * it is first requested.
 */
export class NeighborLists {
  /** Pair lists by a key with cutoff and skin, such as `"5 0.5"`. Checkpoints use the same keys. */
  readonly pairs: Map<string, Pairs> = new Map<string, Pairs>();
  readonly #edges = new Map<string, Edges>();
  readonly #backend: Backend;
  readonly #frame: FrameBuffers;

  constructor(backend: Backend, frame: FrameBuffers) {
    this.#backend = backend;
    this.#frame = frame;
  }

  /** Returns the pair list with a cutoff and a skin. Creates the list if it does not exist. */
  pairsOf(options: PairsOptions): Pairs {
    const key = `${options.cutoff} ${options.skin}`;
    let pairs = this.pairs.get(key);
    if (pairs === undefined) {
      pairs = this.#backend.pairs(this.#frame, options);
      this.pairs.set(key, pairs);
    }
    return pairs;
  }

  /** Returns the edge list with these options. Creates the list if it does not exist. */
  edgesOf(options: EdgesOptions): Edges {
    const { pairs, cutoff, isHalf, reach } = options;
    const key = `${pairs.cutoff} ${pairs.skin} ${cutoff} ${isHalf} ${reach}`;
    let edges = this.#edges.get(key);
    if (edges === undefined) {
      edges = this.#backend.edges(this.#frame, options);
      this.#edges.set(key, edges);
    }
    return edges;
  }

  /** Frees all lists. Edge lists are freed first, because they refer to pair lists. */
  free(): void {
    for (const edges of this.#edges.values()) this.#backend.freeEdges(edges);
    for (const pairs of this.pairs.values()) this.#backend.freePairs(pairs);
    this.#edges.clear();
    this.pairs.clear();
  }
}
