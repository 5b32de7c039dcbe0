/**
 * The pairs of atoms within a cutoff, as the plain meaning of the kernels has them.
 *
 * @module
 */

/** The pairs of one system: each once, `i` before `j`, or with an image of itself. */
export interface SystemPairs {
  /** How many pairs. */
  count: number;
  /** The first atom of each pair, counted within the system. */
  i: Int32Array;
  /** The second. */
  j: Int32Array;
  /** Whole lattice vectors to be added to `j`, three per pair. */
  shifts: Int32Array;
  /** Where the atoms were when the pairs were found: three per atom, Å. Empty before the first time. */
  reference: Float64Array;
  /** Their image counters at that time, three per atom; zeros where nothing counts them. */
  images: Int32Array;
  /** The cell at that time, nine numbers, Å. */
  cell: Float64Array;
  /** How often the pairs of this system were found. */
  builds: number;
  /** Loaded from a checkpoint: the pairs must be found again from `reference`, before anything else. */
  isLoaded: boolean;
}

/** The pairs of all systems of a batch. */
export interface PairList {
  /** Å. */
  readonly cutoff: number;
  /** Pairs up to `cutoff + skin` are kept, until an atom has moved by half the skin. Å. */
  readonly skin: number;
  /** One for each system. */
  readonly systems: SystemPairs[];
}

/** A list without pairs, to be filled by the kernel `neighbors`. */
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
