/**
 * The standard orientation of cells: a along x, b in the xy plane, and right-handed.
 *
 * @module
 */

import { cellOfParameters, type CellParameters, parametersOfCell } from "./cell_parameters.ts";
import { toCartesian, toFractional } from "./fractional.ts";

/** A cell in the standard orientation. */
export interface Orientation {
  readonly parameters: CellParameters;
  /** Lattice vectors in the standard orientation, Å. */
  readonly cell: Float64Array;
  /** Returns fractional coordinates with respect to the right-handed cell. */
  readonly fractional: (positions: ArrayLike<number>) => Float64Array;
  /** Turns positions, velocities or other vectors in the same way as the cell. */
  readonly turn: (vectors: ArrayLike<number>) => Float64Array;
}

/**
 * Returns the standard orientation of a cell; `undefined` if the cell does not have three lattice vectors. In a
 * left-handed cell, c is replaced by −c, because a turn cannot make it right-handed, and lengths and angles alone
 * would describe the mirror image.
 */
export function orientationOf(cell: ArrayLike<number>): Orientation | undefined {
  const right = Float64Array.from(cell, (x, i) => i >= 6 && isLeftHanded(cell) ? -x : x);
  const parameters = parametersOfCell(right), turned = cellOfParameters(parameters);
  if (turned === undefined) return undefined;
  const fractional = (vectors: ArrayLike<number>) => toFractional(vectors, right);
  return {
    parameters,
    cell: turned,
    fractional,
    turn: (vectors) => toCartesian(fractional(vectors), turned),
  };
}

function isLeftHanded(m: ArrayLike<number>): boolean {
  return m[0]! * (m[4]! * m[8]! - m[5]! * m[7]!) - m[1]! * (m[3]! * m[8]! - m[5]! * m[6]!) +
      m[2]! * (m[3]! * m[7]! - m[4]! * m[6]!) < 0;
}
