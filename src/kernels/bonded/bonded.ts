/**
 * Code shared by the kernels that keep bond lengths fixed.
 *
 * @module
 */

import { invertCell } from "../cells/inverse.ts";
import { nearest } from "../cells/nearest.ts";
import { type Frame, reportDiverged } from "../kernel.ts";

type Reals = ArrayLike<number>;

/** The bonds of a batch, the weights of their atoms, and the cells. */
export interface Bonded {
  /** Index of the first cluster of each system, followed by the number of clusters. */
  readonly starts: Int32Array;
  /** Index of the first bond of each cluster, followed by the number of bonds. */
  readonly clusters: Int32Array;
  /** The two atoms of each bond, as indices within the system. */
  readonly bonds: Int32Array;
  /** Weight of each atom: an inverse mass, or 1. */
  readonly weights: Reals;
  /** Directions in which each atom is fixed: the sum of 1 for x, 2 for y and 4 for z. */
  readonly held: Int32Array | undefined;
  /** Cells, nine numbers per system, Å. */
  readonly cell: Reals | undefined;
  /** Flags of the periodic directions, three per system. */
  readonly pbc: Int32Array | undefined;
  /** Largest number of iterations over the bonds of a cluster. */
  readonly most: number;
}

/**
 * Adjusts bond b between the atoms with the indices i and j in the batch. Returns true if the bond needed no
 * adjustment.
 */
export type Adjust = (i: number, j: number, b: number) => boolean;

/**
 * Adjusts the bonds of each cluster of active systems. Iterates over the bonds of a cluster until an iteration
 * adjusts no bond. If a cluster needs more than `most` iterations, its system has diverged. `open` prepares cluster c
 * of system s, and returns the function that adjusts its bonds.
 */
export function adjustBonds(
  values: Bonded,
  frame: Frame,
  open: (c: number, s: number) => Adjust,
): void {
  const { starts } = values;
  for (let s = 0; s < frame.systems; s++) {
    if (frame.active[s] === 0) continue;
    enterCell(s, values);
    for (let c = starts[s]!; c < starts[s + 1]!; c++) {
      if (!isAdjusted(c, frame.offsets[s]!, values, open(c, s))) {
        reportDiverged(frame.control, s, 2);
      }
    }
  }
}

function isAdjusted(c: number, first: number, values: Bonded, adjust: Adjust): boolean {
  const { clusters, bonds, most } = values;
  for (let round = 0; round <= most; round++) {
    let isDone = true;
    for (let b = clusters[c]!; b < clusters[c + 1]!; b++) {
      if (!adjust(first + bonds[2 * b]!, first + bonds[2 * b + 1]!, b)) isDone = false;
    }
    if (isDone) return true;
  }
  return false;
}

const inverse = new Float64Array(9);
let isPeriodic = false;

/** Inverts the cell of a system for `between`. Must be called for each system before its bonds are adjusted. */
function enterCell(s: number, { cell, pbc }: Bonded): void {
  isPeriodic = cell !== undefined && pbc !== undefined &&
    (pbc[3 * s] !== 0 || pbc[3 * s + 1] !== 0 || pbc[3 * s + 2] !== 0) &&
    invertCell(cell, 9 * s, inverse);
}

/**
 * Writes the vector from atom i to the nearest image of atom j to `out`, Å. i and j are indices within the batch, and
 * s is the index of their system. `low` contains the accumulated rounding errors of the positions.
 */
export function between(
  positions: Reals,
  low: Reals | undefined,
  [i, j]: readonly [number, number],
  s: number,
  { cell, pbc }: Bonded,
  out: Float64Array,
): void {
  for (let axis = 0; axis < 3; axis++) {
    const [p, q] = [3 * i + axis, 3 * j + axis];
    out[axis] = positions[q]! - positions[p]! + (low ? low[q]! - low[p]! : 0);
  }
  if (isPeriodic) nearest(out, inverse, cell!, 9 * s, pbc!, 3 * s);
}

/** Returns the weight of an atom along an axis (0, 1 or 2); 0 if the atom is fixed in that direction. */
export function easeOf(atom: number, axis: number, { weights, held }: Bonded): number {
  return held && (held[atom]! >> axis & 1) !== 0 ? 0 : weights[atom]!;
}
