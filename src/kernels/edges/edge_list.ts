/**
 * Lists of edges, and of triplets of edges, for the TypeScript kernels. They are inputs of graph models of atoms.
 *
 * @module
 */

import type { PairList } from "../pairs/pair_list.ts";

/** Options of a list of edges. */
export interface EdgeRules {
  /** Largest length of an edge, Å. */
  readonly cutoff: number;
  /** True if each pair is listed once, with the lower atom first, instead of in both directions. */
  readonly isHalf: boolean;
  /** Largest length of the edges of a triplet, Å; 0 if the list has no triplets. */
  readonly reach: number;
}

/** The edges of a batch, padded to a capacity that always exceeds their number. */
export interface EdgeList extends EdgeRules {
  /** Pairs from which the edges are taken. */
  readonly pairs: PairList;
  /** Number of edges that fit. */
  capacity: number;
  /** Number of triplets that fit; 0 if the list has no triplets. */
  tripletCapacity: number;
  /**
   * Source atoms of all edges, followed by their target atoms, as indices within the batch. Both halves have
   * `capacity` entries.
   */
  index: Int32Array;
  /** Translation of the target atom of each edge, three numbers, Å. */
  shifts: Float64Array;
  /** Index of the system of each edge. */
  systems: Int32Array;
  /** Source atom of both edges of each triplet. */
  centers: Int32Array;
  /**
   * Indices of the first edges of all triplets, followed by the indices of their second edges. Both halves have
   * `tripletCapacity` entries.
   */
  triplets: Int32Array;
  /** Number of edges, followed by the number of triplets, without padding. */
  readonly counts: Int32Array;
  /** Index of the first edge of each atom, followed by the number of edges and an unused entry. */
  readonly starts: Int32Array;
}

/** Length of padding edges, Å. It is beyond every cutoff, so that they contribute exactly zero. */
export const FAR = 100;

/** Capacities are multiples of this number, so that shapes of tensors repeat and models need not be recompiled. */
const GRAIN = 256;

/** Returns a capacity that exceeds `count`, with some reserve. */
export function roomFor(count: number): number {
  return GRAIN * Math.ceil((count + Math.floor(3 * count / 20) + 1) / GRAIN);
}

/** Creates an empty list for the kernels `edges` and `triplets`, for a batch of `atoms` atoms. */
export function makeEdgeList(
  pairs: PairList,
  atoms: number,
  { cutoff, isHalf, reach }: EdgeRules,
): EdgeList {
  const list: EdgeList = {
    pairs,
    cutoff,
    isHalf,
    reach,
    capacity: 0,
    tripletCapacity: 0,
    index: new Int32Array(),
    shifts: new Float64Array(),
    systems: new Int32Array(),
    centers: new Int32Array(),
    triplets: new Int32Array(),
    counts: new Int32Array(2),
    starts: new Int32Array(atoms + 2),
  };
  growEdges(list, 0);
  if (reach > 0) growTriplets(list, 0);
  padEdges(list);
  return list;
}

/** Increases the capacity of a list to more than `count` edges. If the arrays have to grow, their edges are lost. */
export function growEdges(list: EdgeList, count: number): void {
  if (count < list.capacity) return;
  const capacity = list.capacity = roomFor(count);
  list.index = new Int32Array(2 * capacity);
  list.shifts = new Float64Array(3 * capacity);
  list.systems = new Int32Array(capacity);
}

/**
 * Increases the capacity of a list to more than `count` triplets. If the arrays have to grow, their triplets are
 * lost.
 */
export function growTriplets(list: EdgeList, count: number): void {
  if (count < list.tripletCapacity) return;
  const capacity = list.tripletCapacity = roomFor(count);
  list.centers = new Int32Array(capacity);
  list.triplets = new Int32Array(2 * capacity);
}

/** Fills the unused capacity with edges from atom 0 to its image at the distance `FAR`. */
export function padEdges({ index, shifts, systems, capacity, counts }: EdgeList): void {
  const count = counts[0]!;
  index.fill(0, count, capacity);
  index.fill(0, capacity + count);
  systems.fill(0, count);
  for (let e = count; e < capacity; e++) {
    shifts[3 * e] = FAR;
    shifts[3 * e + 1] = shifts[3 * e + 2] = 0;
  }
}
