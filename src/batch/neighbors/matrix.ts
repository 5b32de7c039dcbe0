/**
 * Neighbors as a padded matrix.
 *
 * @module
 */

import type { NearPairs } from "./near.ts";
import type { CheckedNeighborOptions } from "./options.ts";
import { Room } from "./room.ts";

/** Widths are whole multiples of this, so that they do not change often. */
const STEP = 16;

/**
 * Neighbors, one row per atom, by second atom, then shift.
 *
 * The arrays are views of memory that the next update writes to: copy what must last.
 */
export interface NeighborMatrix {
  /** The number of rows: of atoms, N. */
  readonly rows: number;
  /**
   * The width of a row, K: at least `maxNeighbors` and what any atom has. It grows as it must, and may become less
   * only when systems come, go or change places. It alone depends on what was before.
   */
  readonly width: number;
  /** N × K: the neighbors j of each atom i, counted in the batch; N, which no atom is, where there are no more. */
  readonly neighbors: Int32Array;
  /** How many neighbors each atom has. */
  readonly counts: Int32Array;
  /** N × K × 3: whole lattice vectors to add to each neighbor: x_j + n h − x_i is from i to it. 0 past the last. */
  readonly shifts: Int32Array;
}

/** A matrix that can be written anew. */
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
   * Writes what is near.
   *
   * @throws {RangeError} where an atom has more neighbors than there may be; the matrix is as it was then
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

  /** One system; what comes after `at` in the places of near pairs is answered. */
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

function overflowError({ counts, nodeOffsets }: NearPairs, least: number): RangeError {
  const node = counts.findIndex((count) => count > least);
  const system = nodeOffsets.findIndex((offset) => offset > node) - 1;
  return new RangeError(
    `Cannot list neighbors as atom ${
      node - nodeOffsets[system]!
    } of system ${system} must have at most ` +
      `maxNeighbors, ${least}: current count is ${counts[node]}`,
  );
}
