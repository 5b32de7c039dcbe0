import type { SystemPairs } from "./pair_list.ts";

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
