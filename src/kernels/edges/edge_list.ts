/**
 * Edges and triplets of edges, as the plain meaning of the kernels has them: what graphs of atoms are made of.
 *
 * @module
 */

import type { PairList } from "../pairs/pair_list.ts";

/** What is to be listed. */
export interface EdgeRules {
  /** Only pairs nearer than that. Å. */
  readonly cutoff: number;
  /** Whether each pair is listed once, rather than both ways. */
  readonly isHalf: boolean;
  /** How long both edges of a triplet may be at most; 0: no triplets. Å. */
  readonly reach: number;
}

/** The edges of a batch, padded. There is always room for more than there are. */
export interface EdgeList extends EdgeRules {
  /** Where the edges come from. */
  readonly pairs: PairList;
  /** How many edges there is room for. */
  capacity: number;
  /** How many triplets there is room for; 0 where none are listed. */
  tripletCapacity: number;
  /** Sources, then targets. */
  index: Int32Array;
  /** Three per edge, Å. */
  shifts: Float64Array;
  /** The system of each edge. */
  systems: Int32Array;
  /** The atom that both edges of each triplet leave. */
  centers: Int32Array;
  /** First edges, then second edges. */
  triplets: Int32Array;
  /** How many edges there are, and how many triplets. */
  readonly counts: Int32Array;
  /** Where the edges that leave each atom begin; atom by atom, then their end, then a number of no meaning. */
  readonly starts: Int32Array;
}

/** A shift that puts an edge beyond every cutoff, Å: what a list is padded with adds exactly nothing. */
export const FAR = 100;

/** Lists have room for a multiple of so many, so that shapes repeat. */
const GRAIN = 256;

/** Room for so many and at least one more, with some to spare. */
export function roomFor(count: number): number {
  return GRAIN * Math.ceil((count + Math.floor(3 * count / 20) + 1) / GRAIN);
}

/** A list without edges, to be filled by the kernels `edges` and `triplets`. */
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

/** Makes room for so many edges; what was listed is lost where there was not. */
export function growEdges(list: EdgeList, count: number): void {
  if (count < list.capacity) return;
  const capacity = list.capacity = roomFor(count);
  list.index = new Int32Array(2 * capacity);
  list.shifts = new Float64Array(3 * capacity);
  list.systems = new Int32Array(capacity);
}

/** The same for triplets. */
export function growTriplets(list: EdgeList, count: number): void {
  if (count < list.tripletCapacity) return;
  const capacity = list.tripletCapacity = roomFor(count);
  list.centers = new Int32Array(capacity);
  list.triplets = new Int32Array(2 * capacity);
}

/** What is left of the capacity: edges of atom 0 with itself, too far away to be seen. */
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
