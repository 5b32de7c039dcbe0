/**
 * Edges and triplets of systems, as models of atoms take them.
 *
 * @module
 */

import { neighborList } from "../../batch/neighbors/neighbor_list.ts";
import type { System } from "../../batch/system.ts";

/** The edges of a system, by the atom they leave, and its triplets. Atoms and edges are counted in the system. */
export interface AtomsEdges {
  /** Number of edges. */
  readonly count: number;
  /** Two rows: the atoms that edges leave, and those they lead to. */
  readonly index: Int32Array;
  /** Three per edge, Å. */
  readonly shifts: Float32Array;
  /** The atom that both edges of each triplet leave. */
  readonly centers: Int32Array;
  /** Two rows: first edges and second edges. */
  readonly triplets: Int32Array;
}

/** The edges of a system. Its triplets are all unordered pairs of short edges that leave one atom. */
export function edgesOf(
  system: System,
  { cutoff, tripletCutoff }: { readonly cutoff: number; readonly tripletCutoff: number },
): AtomsEdges {
  const { positions, cell, pbc, nodeCount } = system;
  const nodeOffsets = Int32Array.of(0, nodeCount);
  const { count, edges, shifts } = neighborList({ nodeOffsets, positions, cell, pbc }, { cutoff });
  const vectors = new Float64Array(3 * count);
  for (let e = 0; e < count; e++) {
    for (let k = 0; k < 3; k++) {
      vectors[3 * e + k] = shifts[3 * e]! * cell[k]! + shifts[3 * e + 1]! * cell[3 + k]! +
        shifts[3 * e + 2]! * cell[6 + k]!;
    }
  }
  const index = edges.slice(0, 2 * count);
  const moved = Float32Array.from(vectors);
  const { centers, triplets } = tripletsOf(
    shortOf(positions, index, vectors, tripletCutoff),
    index,
  );
  return { count, index, shifts: moved, centers, triplets };
}

/** The edges that are short enough, in order. */
function shortOf(
  positions: Float64Array,
  index: Int32Array,
  shifts: Float64Array,
  cutoff: number,
): number[] {
  const short: number[] = [];
  if (cutoff === 0) return short;
  const count = index.length / 2;
  for (let e = 0; e < count; e++) {
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const [from, to] = [positions[3 * index[e]! + k]!, positions[3 * index[count + e]! + k]!];
      square += (to - from + shifts[3 * e + k]!) ** 2;
    }
    if (square < cutoff * cutoff) short.push(e);
  }
  return short;
}

function tripletsOf(
  short: readonly number[],
  index: Int32Array,
): Pick<AtomsEdges, "centers" | "triplets"> {
  const centers: number[] = [], first: number[] = [], second: number[] = [];
  for (let a = 0; a < short.length; a++) {
    const atom = index[short[a]!]!;
    // Edges lie by the atom they leave.
    for (let b = a + 1; b < short.length && index[short[b]!] === atom; b++) {
      centers.push(atom);
      first.push(short[a]!);
      second.push(short[b]!);
    }
  }
  const triplets = new Int32Array(2 * first.length);
  triplets.set(first);
  triplets.set(second, first.length);
  return { centers: Int32Array.from(centers), triplets };
}
