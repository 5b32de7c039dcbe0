/**
 * Conversion between fractional and Cartesian coordinates.
 *
 * @module
 */

import { invertCell } from "../batch/cell.ts";

/** Returns r = f · cell for each row of three numbers. */
export function toCartesian(fractional: ArrayLike<number>, cell: ArrayLike<number>): Float64Array {
  return timesMatrix(fractional, cell);
}

/** Returns f = r · cell⁻¹ for each row of three numbers. */
export function toFractional(positions: ArrayLike<number>, cell: ArrayLike<number>): Float64Array {
  return timesMatrix(positions, invertCell(cell));
}

/** Returns each row of three numbers times a matrix of nine. */
export function timesMatrix(rows: ArrayLike<number>, m: ArrayLike<number>): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 3) {
    const x = rows[i]!, y = rows[i + 1]!, z = rows[i + 2]!;
    for (let k = 0; k < 3; k++) out[i + k] = x * m[k]! + y * m[3 + k]! + z * m[6 + k]!;
  }
  return out;
}
