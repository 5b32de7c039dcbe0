/**
 * What kernels of bonds of fixed length have in common.
 *
 * @module
 */

import { invertCell } from "../cells/inverse.ts";
import { nearest } from "../cells/nearest.ts";
import { Control, type Frame } from "../kernel.ts";

type Reals = ArrayLike<number>;

/** Where bonds are, and how stiff their atoms. */
export interface Bonded {
  /** Where the clusters of each system begin, one more than systems. */
  readonly starts: Int32Array;
  /** Where the bonds of each cluster begin, one more than clusters. */
  readonly clusters: Int32Array;
  /** The two atoms of each bond, counted within the system. */
  readonly bonds: Int32Array;
  /** The weight of each atom: how easily it moves. */
  readonly weights: Reals;
  /** The bits of directions in which an atom is fixed. */
  readonly held: Int32Array | undefined;
  /** The cells. */
  readonly cell: Reals | undefined;
  /** The directions that repeat. */
  readonly pbc: Int32Array | undefined;
  /** How many rounds over the bonds of a cluster there may be. */
  readonly most: number;
}

/** Does what a bond b of atoms i and j asks for; true where nothing had to be done. */
export type Adjust = (i: number, j: number, b: number) => boolean;

/**
 * Goes over the bonds of each cluster, round after round, until nothing has to be done; a system where that takes too
 * long has come apart. `open` is asked for each cluster c of a system s.
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
      if (!isAdjusted(c, frame.offsets[s]!, values, open(c, s))) lose(s, frame);
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

/** Must be called for each system, before its bonds. */
function enterCell(s: number, { cell, pbc }: Bonded): void {
  isPeriodic = cell !== undefined && pbc !== undefined &&
    (pbc[3 * s] !== 0 || pbc[3 * s + 1] !== 0 || pbc[3 * s + 2] !== 0) &&
    invertCell(cell, 9 * s, inverse);
}

/** The vector from atom i to atom j, to its nearest image, Å. */
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

/** How easily an atom moves in a direction. */
export function easeOf(atom: number, axis: number, { weights, held }: Bonded): number {
  return held && (held[atom]! >> axis & 1) !== 0 ? 0 : weights[atom]!;
}

/** Says that the bonds of a system could not be kept, unless another one had come apart before. */
function lose(s: number, { control }: Frame): void {
  if (control[Control.DIVERGED] === 0) {
    control[Control.DIVERGED] = s + 1;
    control[Control.CAUSE] = 2;
  }
  control[Control.HALT] = 1;
}
