import type {
  Backend,
  Edges,
  EdgesOptions,
  FrameBuffers,
  Pairs,
  PairsOptions,
} from "../../backend/backend.ts";

/** Lists of pairs and of edges of a batch: one for each cutoff, made when it is first asked for. */
export class NeighborLists {
  /** Cutoff and skin → the list of pairs. Checkpoints use the same keys. */
  readonly pairs: Map<string, Pairs> = new Map<string, Pairs>();
  readonly #edges = new Map<string, Edges>();
  readonly #backend: Backend;
  readonly #frame: FrameBuffers;

  /** Makes no list yet. */
  constructor(backend: Backend, frame: FrameBuffers) {
    this.#backend = backend;
    this.#frame = frame;
  }

  /** Returns the list of pairs of a cutoff and a skin. */
  pairsOf(options: PairsOptions): Pairs {
    const key = `${options.cutoff} ${options.skin}`;
    let pairs = this.pairs.get(key);
    if (pairs === undefined) {
      pairs = this.#backend.pairs(this.#frame, options);
      this.pairs.set(key, pairs);
    }
    return pairs;
  }

  /** Returns the list of such edges. */
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

  /** Frees all lists. Edges go first: they refer to pairs. */
  free(): void {
    for (const edges of this.#edges.values()) this.#backend.freeEdges(edges);
    for (const pairs of this.pairs.values()) this.#backend.freePairs(pairs);
    this.#edges.clear();
    this.pairs.clear();
  }
}
