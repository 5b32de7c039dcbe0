/**
 * Neighbours as a padded matrix.
 *
 * @module
 */

import type { NearPairs } from "./near.ts";
import type { CheckedNeighbourOptions } from "./options.ts";
import { Room } from "./room.ts";

/** Widths are whole multiples of this, so that they do not change often. */
const STEP = 16;

/**
 * Neighbours, one row per atom, by second atom, then shift.
 *
 * The arrays are views of memory that the next update writes to: copy what must last.
 */
export interface NeighbourMatrix {
  /** The number of rows: of atoms, N. */
  readonly rows: number;
  /**
   * The width of a row, K: at least `maxNeighbours` and what any atom has. It grows as it must, and may become less
   * only when systems come, go or change places. It alone depends on what was before.
   */
  readonly width: number;
  /** N × K: the neighbours j of each atom i, counted in the batch; N, which no atom is, where there are no more. */
  readonly neighbours: Int32Array;
  /** How many neighbours each atom has. */
  readonly counts: Int32Array;
  /** N × K × 3: whole lattice vectors to add to each neighbour: x_j + n h − x_i is from i to it. 0 past the last. */
  readonly shifts: Int32Array;
}

/** A matrix that can be written anew. */
export class Matrix implements NeighbourMatrix {
  rows = 0;
  width = 0;
  neighbours: Int32Array = new Int32Array();
  counts: Int32Array = new Int32Array();
  shifts: Int32Array = new Int32Array();
  readonly #least: number;
  readonly #grows: boolean;
  readonly #neighbours = new Room();
  readonly #counts = new Room();
  readonly #shifts = new Room();
  #generation = 0;

  constructor({ maxNeighbours, overflow }: CheckedNeighbourOptions) {
    this.#least = maxNeighbours;
    this.#grows = overflow === "grow";
  }

  /**
   * Writes what is near.
   *
   * @throws {RangeError} where an atom has more neighbours than there may be; the matrix is as it was then
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
    this.neighbours = this.#neighbours.take(rows * width).fill(rows);
    this.shifts = this.#shifts.take(3 * rows * width).fill(0);
    this.counts = this.#counts.take(rows).fill(0);
    this.rows = rows;
    this.width = width;
  }

  /** One system; what comes after `at` in the places of near pairs is answered. */
  // hot
  #writeSystem({ systems, nodeOffsets, counts, places }: NearPairs, s: number, at: number): number {
    const { rows, width, neighbours, shifts } = this;
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
        neighbours[cell] = first + j;
        for (let k = 0; k < 3; k++) {
          shifts[3 * cell + k] = found[3 * p + k]! + wraps[3 * j + k]! - wraps[3 * i + k]!;
        }
      }
      for (; cell < old; cell++) {
        neighbours[cell] = rows;
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
    `Cannot list neighbours as atom ${
      node - nodeOffsets[system]!
    } of system ${system} must have at most ` +
      `maxNeighbours, ${least}: current count is ${counts[node]}`,
  );
}
