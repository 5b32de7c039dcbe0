/**
 * Cells: nine numbers, the lattice vectors a, b and c in this order, Å. The vector of a direction that is not
 * periodic may be zero.
 *
 * @module
 */

import { show } from "../base/show.ts";

/** A cell as users write it: three lengths (Å) of an orthogonal cell, nine numbers, or three vectors. */
export type CellInput = ArrayLike<number> | readonly ArrayLike<number>[];

/** Least ratio of the volume to the product of the lengths. Below this ratio, three vectors are treated as coplanar. */
const FLAT = 1e-10;

/**
 * Converts three lengths, nine numbers or three vectors to a cell of nine numbers. If `isData` is true, the numbers
 * may be NaN or infinite. Throws a TypeError for any other value.
 */
export function readCell(cell: CellInput, action: string, isData: boolean = false): Float64Array {
  const flat = flatCell(cell);
  const isNumber = (x: unknown) => typeof x === "number" && (isData || Number.isFinite(x));
  if (flat === undefined || !flat.every(isNumber)) {
    throw new TypeError(
      `Cannot ${action}: its cell must be 3 lengths, 9 numbers or 3 vectors, all finite; got ${
        show(cell)
      }`,
    );
  }
  if (flat.length === 9) return Float64Array.from(flat);
  const [a, b, c] = flat;
  return Float64Array.of(a!, 0, 0, 0, b!, 0, 0, 0, c!);
}

function flatCell(cell: CellInput): number[] | undefined {
  if (!Array.isArray(cell) && !ArrayBuffer.isView(cell)) return undefined;
  const rows = Array.from(cell as ArrayLike<number | ArrayLike<number>>);
  if (rows.every((row) => typeof row === "number")) {
    return rows.length === 3 || rows.length === 9 ? rows as number[] : undefined;
  }
  const ok = rows.length === 3 &&
    rows.every((row) => typeof row === "object" && row !== null && row.length === 3);
  return ok ? rows.flatMap((row) => Array.from(row as ArrayLike<number>)) : undefined;
}

/** Returns whether lattice vector `row` is zero. */
export function isZeroRow(cell: ArrayLike<number>, row: number): boolean {
  return cell[3 * row] === 0 && cell[3 * row + 1] === 0 && cell[3 * row + 2] === 0;
}

/**
 * Checks a cell.
 *
 * @param of end of the system's name in messages: " of system 5", or an empty string
 * @throws {RangeError} if the vector of a periodic direction is zero, a number is not finite, or the vectors are
 * coplanar
 */
export function checkCell(
  cell: ArrayLike<number>,
  pbc: ArrayLike<number>,
  action: string,
  of = "",
): void {
  const finite = isFiniteCell(cell);
  for (let row = 0; finite && row < 3; row++) {
    if (pbc[row] === 0 || !isZeroRow(cell, row)) continue;
    throw new RangeError(
      `Cannot ${action}: the cell vector ${
        "abc"[row]
      }${of} must not be zero along a periodic direction; got the cell ${showCell(cell)}`,
    );
  }
  const full = completeCell(cell);
  let product = 1;
  for (let row = 0; row < 3; row++) product *= lengthOf(full, row);
  if (finite && Math.abs(determinant(full)) > FLAT * product && Number.isFinite(product)) return;
  throw new RangeError(
    `Cannot ${action}: the cell vectors${of} must be finite and span a volume; got the cell ${
      showCell(cell)
    }`,
  );
}

/** Returns whether all nine numbers of a cell are finite. */
export function isFiniteCell(cell: ArrayLike<number>): boolean {
  for (let i = 0; i < 9; i++) if (!Number.isFinite(cell[i])) return false;
  return true;
}

function showCell(cell: ArrayLike<number>): string {
  return `[${Array.from(cell).join(", ")}]`;
}

function lengthOf(cell: ArrayLike<number>, row: number): number {
  return Math.hypot(cell[3 * row]!, cell[3 * row + 1]!, cell[3 * row + 2]!);
}

function determinant(m: ArrayLike<number>): number {
  return m[0]! * (m[4]! * m[8]! - m[5]! * m[7]!) - m[1]! * (m[3]! * m[8]! - m[5]! * m[6]!) +
    m[2]! * (m[3]! * m[7]! - m[4]! * m[6]!);
}

/**
 * Replaces each zero vector by a vector of length 1 Å that is perpendicular to the others. The result spans a volume
 * even if some directions are not periodic, so that fractional coordinates exist.
 */
function completeCell(cell: ArrayLike<number>): Float64Array {
  const full = Float64Array.of(
    cell[0]!,
    cell[1]!,
    cell[2]!,
    cell[3]!,
    cell[4]!,
    cell[5]!,
    cell[6]!,
    cell[7]!,
    cell[8]!,
  );
  if (!isZeroRow(cell, 0) && !isZeroRow(cell, 1) && !isZeroRow(cell, 2)) return full;
  const missing = [0, 1, 2].filter((row) => isZeroRow(cell, row));
  if (missing.length === 3) return Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  if (missing.length === 2) {
    const given = [0, 1, 2].find((row) => !missing.includes(row))!;
    // Along this axis the given vector has its smallest component, so the two are far from parallel.
    const size = [0, 1, 2].map((k) => Math.abs(full[3 * given + k]!));
    full[3 * missing[0]! + size.indexOf(Math.min(...size))] = 1;
    setCross(full, missing[1]!);
    setCross(full, missing[0]!);
  } else if (missing.length === 1) {
    setCross(full, missing[0]!);
  }
  return full;
}

/** Sets one row to the unit vector perpendicular to the other two rows. */
function setCross(m: Float64Array, row: number): void {
  const [p, q] = [3 * ((row + 1) % 3), 3 * ((row + 2) % 3)];
  const x = m[p + 1]! * m[q + 2]! - m[p + 2]! * m[q + 1]!;
  const y = m[p + 2]! * m[q]! - m[p]! * m[q + 2]!;
  const z = m[p]! * m[q + 1]! - m[p + 1]! * m[q]!;
  const length = Math.hypot(x, y, z) || 1;
  m.set([x / length, y / length, z / length], 3 * row);
}

/**
 * Returns the volume of a cell, Å³. It is positive for left-handed cells, too, and 0 if a vector is zero.
 *
 * @param cell nine numbers, the vectors a, b and c, Å
 *
 * @example
 *
 * ```ts
 * import { cellVolume } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cellVolume([2, 0, 0, 1, 3, 0, 0, 0, -4]), 24);
 * ```
 */
export function cellVolume(cell: ArrayLike<number>): number {
  return Math.abs(determinant(cell));
}

/**
 * Returns the inverse of a cell, for fractional coordinates: f = r · inverse, with r as a row. Zero vectors are
 * replaced by unit vectors perpendicular to the others.
 *
 * @param cell nine numbers, the vectors a, b and c, Å
 * @returns nine numbers, 1/Å, row by row
 * @throws {RangeError} if the vectors are coplanar
 *
 * @example
 *
 * ```ts
 * import { invertCell } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([...invertCell([2, 0, 0, 0, 4, 0, 0, 0, 5])], [0.5, 0, 0, 0, 0.25, 0, 0, 0, 0.2]);
 * ```
 */
export function invertCell(cell: ArrayLike<number>): Float64Array {
  checkCell(cell, [0, 0, 0], "invert a cell");
  const m = completeCell(cell);
  const volume = determinant(m);
  const inverse = new Float64Array(9);
  for (let row = 0; row < 3; row++) {
    const [p, q] = [3 * ((row + 1) % 3), 3 * ((row + 2) % 3)];
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      // + 0 turns −0 into 0
      inverse[3 * k + row] = (m[p + i]! * m[q + j]! - m[p + j]! * m[q + i]!) / volume + 0;
    }
  }
  return inverse;
}
