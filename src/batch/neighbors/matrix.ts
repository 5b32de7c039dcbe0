/**
 * Neighbors as a padded matrix.
 *
 * @module
 */

import { systemName } from "../store.ts";
import type { NearPairs } from "./near.ts";
import type { CheckedNeighborOptions } from "./options.ts";
import { Room } from "./room.ts";

/** Widths are multiples of this number, so that shapes rarely change. */
const STEP = 16;

/** Neighbors as a matrix with one row per atom. Each row is sorted by second atom and shift. */
export interface NeighborMatrix {
  /** Number of rows: the number of atoms, N. */
  readonly rows: number;
  /**
   * Width of a row, K: at least `maxNeighbors` and the largest number of neighbors of an atom. It grows if necessary,
   * and shrinks only when systems are added, removed or reordered. No other result depends on earlier updates.
   */
  readonly width: number;
  /**
   * N × K: neighbors j of each atom i, as indices within the batch. Unused entries are N, which is
   * not the index of an atom.
   */
  readonly neighbors: Int32Array;
  /** Number of neighbors of each atom. */
  readonly counts: Int32Array;
  /**
   * N × K × 3: lattice translation n of each neighbor. The vector from atom i to its neighbor j is x_j + n h − x_i,
   * where h is the cell. Unused entries are 0.
   */
  readonly shifts: Int32Array;
}

/** A matrix whose arrays are rewritten at each update. */
export class Matrix implements NeighborMatrix {
  width = 0;
  neighbors: Int32Array = new Int32Array();
  counts: Int32Array = new Int32Array();
  shifts: Int32Array = new Int32Array();
  readonly #least: number;
  readonly #grows: boolean;
  readonly #neighbors = new Room();
  readonly #counts = new Room();
  readonly #shifts = new Room();
  #generation = 0;

  constructor({ maxNeighbors, overflow }: CheckedNeighborOptions) {
    this.#least = maxNeighbors;
    this.#grows = overflow === "grow";
  }

  get rows(): number {
    return this.counts.length;
  }

  /**
   * Writes the pairs within the cutoff to the matrix.
   *
   * @throws {RangeError} if an atom has more neighbors than allowed; the matrix then stays unchanged
   */
  write(near: NearPairs): void {
    const rows = near.counts.length;
    const width = this.#widthFor(near);
    if (rows !== this.rows || width !== this.width) this.#clear(rows, width);
    this.#generation = near.generation;
    let at = 0;
    for (let s = 0; s < near.systems.length; s++) at = this.#writeSystem(near, s, at);
  }

  #widthFor(near: NearPairs): number {
    const { counts, generation } = near;
    const now = generation === this.#generation ? this.width : this.#least;
    let most = 0;
    for (let i = 0; i < counts.length; i++) if (counts[i]! > most) most = counts[i]!;
    if (most <= now) return now;
    if (this.#grows) return Math.ceil(most / STEP) * STEP;
    throw overflowError(near, this.#least);
  }

  #clear(rows: number, width: number): void {
    this.neighbors = this.#neighbors.take(rows * width).fill(rows);
    this.shifts = this.#shifts.take(3 * rows * width).fill(0);
    this.counts = this.#counts.take(rows).fill(0);
    this.width = width;
  }

  /** Writes the rows of system `s`, whose pairs begin at `at` in `places`. Returns the index after its last pair. */
  // hot
  #writeSystem({ systems, nodeOffsets, counts, places }: NearPairs, s: number, at: number): number {
    const { rows, width, neighbors, shifts } = this;
    const { atoms, count, others: second, shifts: shift, wraps: wrap } = systems[s]!;
    const first = nodeOffsets[s]!;
    const others = second.take(count), found = shift.take(3 * count), wraps = wrap.take(3 * atoms);
    for (let i = 0; i < atoms; i++) {
      const end = (first + i) * width + counts[first + i]!;
      const old = (first + i) * width + this.counts[first + i]!;
      this.counts[first + i] = counts[first + i]!;
      let cell = (first + i) * width;
      for (; cell < end; cell++) {
        const p = places[at++]!;
        const j = others[p]!;
        neighbors[cell] = first + j;
        for (let k = 0; k < 3; k++) {
          shifts[3 * cell + k] = found[3 * p + k]! + wraps[3 * j + k]! - wraps[3 * i + k]!;
        }
      }
      for (; cell < old; cell++) {
        neighbors[cell] = rows;
        for (let k = 0; k < 3; k++) shifts[3 * cell + k] = 0;
      }
    }
    return at;
  }
}

function overflowError({ counts, nodeOffsets, infos }: NearPairs, least: number): RangeError {
  const node = counts.findIndex((count) => count > least);
  const system = nodeOffsets.findIndex((offset) => offset > node) - 1;
  return new RangeError(
    `Cannot list neighbors: atom ${node - nodeOffsets[system]!} of system ${
      systemName(infos, system)
    } must have at most ` +
      `${least} neighbors (maxNeighbors); got ${
        counts[node]
      }. Pass a larger maxNeighbors, or overflow: "grow"`,
  );
}
