import type { SystemPairs } from "./pair_list.ts";

/**
 * How many lattice vectors k are to be added to the second atom of pair p, as atoms are now: wrapping since the pairs
 * were found is taken back. `i` and `j`: the places of its atoms in `images`.
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
