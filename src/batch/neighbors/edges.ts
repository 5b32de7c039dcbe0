/**
 * Neighbors as a list of edges.
 *
 * @module
 */

import type { NearPairs } from "./near.ts";
import { Room } from "./room.ts";

/**
 * Neighbors as edges, one per pair, sorted by first atom, second atom and shift.
 *
 * The arrays are views of memory that the next update overwrites. Copy them to keep them.
 */
export interface NeighborEdges {
  /** Number of edges, E. */
  readonly count: number;
  /**
   * Two rows of E numbers, in the form that models expect (`edge_index`): all first atoms i, then all second atoms j,
   * as indices within the batch. The vector of edge e is x_j + n h − x_i, where n is the shift of the edge and h the
   * cell of its system.
   */
  readonly edges: Int32Array;
  /** Lattice translation of the second atom, three integers per edge. */
  readonly shifts: Int32Array;
  /** Index of the first edge of each system, followed by the number of edges. */
  readonly edgeOffsets: Int32Array;
}

/** Edges whose arrays are rewritten at each update. */
export class Edges implements NeighborEdges {
  count = 0;
  edges: Int32Array = new Int32Array();
  shifts: Int32Array = new Int32Array();
  edgeOffsets: Int32Array = new Int32Array(1);
  readonly #edges = new Room();
  readonly #shifts = new Room();
  readonly #offsets = new Room();

  /** Writes the pairs within the cutoff to the arrays. */
  // hot
  write(near: NearPairs): void {
    const { systems, nodeOffsets, counts, places, count } = near;
    const edges = this.#edges.take(2 * count), shifts = this.#shifts.take(3 * count);
    const offsets = this.#offsets.take(systems.length + 1);
    let e = 0;
    for (let s = 0; s < systems.length; s++) {
      offsets[s] = e;
      const { atoms, count: candidates, others: second, shifts: shift, wraps: wrap } = systems[s]!;
      const first = nodeOffsets[s]!;
      const others = second.take(candidates), found = shift.take(3 * candidates);
      const wraps = wrap.take(3 * atoms);
      for (let i = 0; i < atoms; i++) {
        for (const end = e + counts[first + i]!; e < end; e++) {
          const p = places[e]!;
          const j = others[p]!;
          edges[e] = first + i;
          edges[count + e] = first + j;
          for (let k = 0; k < 3; k++) {
            shifts[3 * e + k] = found[3 * p + k]! + wraps[3 * j + k]! - wraps[3 * i + k]!;
          }
        }
      }
    }
    offsets[systems.length] = e;
    this.count = count;
    this.edges = edges;
    this.shifts = shifts;
    this.edgeOffsets = offsets;
  }
}
