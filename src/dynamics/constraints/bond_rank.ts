import type { BondGeometry } from "./bond_geometry.ts";
import type { BondList } from "./bond_list.ts";

/** Threshold below which a pivot counts as rounding. The vectors have length 1, so the largest pivot is about 1. */
const ROUNDING = 1e-6;

/**
 * Returns the number of degrees of freedom that the bonds of a system remove. It is smaller than the number of bonds
 * if some bonds follow from the others, as the tenth bond among five atoms does. It is the rank of the Gram matrix of
 * the bonds: the products of their unit vectors, over shared atoms and the directions in which these may move.
 */
export function bondRank(
  { starts, clusters, bonds }: BondList,
  system: number,
  fixed: (atom: number) => number,
  geometry: BondGeometry,
): number {
  let sum = 0;
  for (let c = starts[system]!; c < starts[system + 1]!; c++) {
    const pairs = Array.from({ length: clusters[c + 1]! - clusters[c]! }, (_, i) => {
      const b = clusters[c]! + i;
      return [bonds[2 * b]!, bonds[2 * b + 1]!] as const;
    });
    const atoms = new Set(pairs.flat());
    // The bonds of a tree of free atoms are independent of one another.
    const isTree = pairs.length < atoms.size && ![...atoms].some((atom) => fixed(atom) !== 0);
    sum += isTree ? pairs.length : rankOf(gram(pairs, system, fixed, geometry));
  }
  return sum;
}

/** Returns the Gram matrix of some bonds, whose element (b, c) couples the bonds b and c. */
function gram(
  pairs: readonly (readonly [number, number])[],
  system: number,
  fixed: (atom: number) => number,
  geometry: BondGeometry,
): Float64Array[] {
  const units = pairs.map((pair) => {
    const d = geometry.vector(system, pair).slice();
    const length = Math.hypot(...d);
    return d.map((x) => x / length);
  });
  return pairs.map(([i, j], b) =>
    Float64Array.from(pairs, ([k, l], c) => {
      const along = (atom: number) =>
        [0, 1, 2].reduce((dot, axis) =>
          (fixed(atom) >> axis & 1) !== 0 ? dot : dot + units[b]![axis]! * units[c]![axis]!, 0);
      return (i === k ? along(i) : 0) + (j === l ? along(j) : 0) - (i === l ? along(i) : 0) -
        (j === k ? along(j) : 0);
    })
  );
}

/**
 * Returns the rank of a positive semidefinite matrix. Eliminates rows in place, beginning with the largest remaining
 * pivot.
 */
function rankOf(rows: Float64Array[]): number {
  const count = rows.length;
  const left = new Set(Array.from({ length: count }, (_, i) => i));
  for (let rank = 0; rank < count; rank++) {
    let pivot = -1;
    for (const i of left) if (pivot === -1 || rows[i]![i]! > rows[pivot]![pivot]!) pivot = i;
    const top = rows[pivot]![pivot]!;
    if (!(top > ROUNDING)) return rank;
    left.delete(pivot);
    for (const i of left) {
      const factor = rows[i]![pivot]! / top;
      for (const k of left) rows[i]![k]! -= factor * rows[pivot]![k]!;
    }
  }
  return count;
}
