/**
 * Selection of the candidates that are within the cutoff.
 *
 * @module
 */

import type { Candidates } from "./candidates.ts";
import type { NeighborSource } from "./source.ts";

/**
 * Finds the candidates of one system that are within the cutoff now. Writes their indices to `near` from index `at`
 * on, and the number of pairs of each atom to `counts`. Returns the index after the last one written.
 */
// hot
export function keepNear(
  known: Candidates,
  { positions }: NeighborSource,
  first: number,
  cutoff: number,
  near: Int32Array,
  counts: Int32Array,
  at: number,
): number {
  const { atoms, cell } = known;
  const starts = known.starts.take(atoms + 1);
  const others = known.others.take(known.count), shifts = known.shifts.take(3 * known.count);
  const wraps = known.wraps.take(3 * atoms);
  const limit = cutoff * cutoff;
  // Local variables stay in registers, whereas V8 would read the array again for each pair.
  const ax = cell[0]!, ay = cell[1]!, az = cell[2]!;
  const bx = cell[3]!, by = cell[4]!, bz = cell[5]!;
  const cx = cell[6]!, cy = cell[7]!, cz = cell[8]!;
  let p = starts[0]!;
  for (let i = 0; i < atoms; i++) {
    const before = at;
    const x = positions[3 * (first + i)]!;
    const y = positions[3 * (first + i) + 1]!;
    const z = positions[3 * (first + i) + 2]!;
    for (const end = starts[i + 1]!; p < end; p++) {
      const j = others[p]!;
      const u = shifts[3 * p]! + wraps[3 * j]! - wraps[3 * i]!;
      const v = shifts[3 * p + 1]! + wraps[3 * j + 1]! - wraps[3 * i + 1]!;
      const w = shifts[3 * p + 2]! + wraps[3 * j + 2]! - wraps[3 * i + 2]!;
      // The terms are added in the same order for (i, j) and (j, i), so both have bitwise the same distance. Either
      // both pairs are within the cutoff, or neither is.
      const dx = positions[3 * (first + j)]! - x + (u * ax + v * bx + w * cx);
      const dy = positions[3 * (first + j) + 1]! - y + (u * ay + v * by + w * cy);
      const dz = positions[3 * (first + j) + 2]! - z + (u * az + v * bz + w * cz);
      if (dx * dx + dy * dy + dz * dz < limit) near[at++] = p;
    }
    counts[first + i] = at - before;
  }
  return at;
}
