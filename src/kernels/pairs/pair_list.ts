/**
 * Lists of the pairs of atoms within a cutoff, for the TypeScript kernels.
 *
 * @module
 */

/** The pairs of one system. Each pair is listed once: two atoms with `i` < `j`, or an atom and its own image. */
export interface SystemPairs {
  /** Number of pairs. */
  count: number;
  /** First atom of each pair, as an index within the system. */
  i: Int32Array;
  /** Second atom of each pair, as an index within the system. */
  j: Int32Array;
  /** Lattice translation of the second atom, three integers per pair. */
  shifts: Int32Array;
  /** Positions at the last search, three numbers per atom, Å. Empty before the first search. */
  reference: Float64Array;
  /** Image counters at the last search, three integers per atom; zeros if images are not counted. */
  images: Int32Array;
  /** Cell at the last search, nine numbers, Å. */
  cell: Float64Array;
  /** Number of searches so far. */
  builds: number;
  /** True after a checkpoint was loaded, until the pairs have been searched again at the positions in `reference`. */
  isLoaded: boolean;
}

/** Pairs of all systems of a batch. */
export interface PairList {
  /** Cutoff radius, Å. */
  readonly cutoff: number;
  /**
   * Verlet skin, Å. Pairs up to `cutoff + skin` are listed, and the list is kept until an atom has moved by half the
   * skin.
   */
  readonly skin: number;
  /** Pairs of each system. */
  readonly systems: SystemPairs[];
}

/** Creates an empty list, which the kernel `neighbors` fills. */
export function makePairList(systems: number, cutoff: number, skin: number): PairList {
  return { cutoff, skin, systems: Array.from({ length: systems }, noPairs) };
}

function noPairs(): SystemPairs {
  return {
    count: 0,
    i: new Int32Array(),
    j: new Int32Array(),
    shifts: new Int32Array(),
    reference: new Float64Array(),
    images: new Int32Array(),
    cell: new Float64Array(9),
    builds: 0,
    isLoaded: false,
  };
}

/**
 * Returns component k of the lattice translation of the second atom of pair p, for the current positions: it takes
 * account of wrapping since the last search. `i` and `j` are the indices of the atoms in `images`.
 */
export function wholeBetween(
  list: SystemPairs,
  p: number,
  k: number,
  images: Int32Array | undefined,
  i: number,
  j: number,
): number {
  const n = list.shifts[3 * p + k]!;
  if (images === undefined) return n;
  const [a, b] = [3 * list.i[p]! + k, 3 * list.j[p]! + k];
  return n + images[3 * j + k]! - list.images[b]! - (images[3 * i + k]! - list.images[a]!);
}
