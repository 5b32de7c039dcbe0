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
}

const inverse = new Float64Array(9);
let isPeriodic = false;

/** Must be called for each system, before its bonds. */
export function enterCell(s: number, { cell, pbc }: Bonded): void {
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
export function lose(s: number, { control }: Frame): void {
  if (control[Control.DIVERGED] === 0) {
    control[Control.DIVERGED] = s + 1;
    control[Control.CAUSE] = 2;
  }
  control[Control.HALT] = 1;
}
