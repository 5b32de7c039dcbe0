/**
 * Deformation of a cell relative to its reference: F = 1 + q/κ, symmetric, so that it contains no
 * rotation.
 *
 * @module
 */

import { invertCell } from "./inverse.ts";

/**
 * Factor of the length κ = 3 √n Å for a system of n atoms. In the coordinates q = κ (F − 1), a strain ε counts as
 * much as a displacement of every atom by 3 ε Å, where 3 Å is roughly the distance of neighbors. The cell is then
 * about as stiff as the vibrations of the atoms, for any number of atoms.
 */
export const STRAIN_LENGTH = 3;

/** Returns the length κ of a system with `atoms` atoms, Å. A system without atoms gets the κ of one atom. */
export function strainLength(atoms: number): number {
  return STRAIN_LENGTH * Math.sqrt(Math.max(1, atoms));
}

/** Returns F = 1 + q/`length` for the nine numbers q that begin at index `at` of `strain`. */
export function deformation(strain: ArrayLike<number>, at: number, length: number): Float64Array {
  const f = new Float64Array(9);
  for (let k = 0; k < 9; k++) f[k] = (k % 4 === 0 ? 1 : 0) + strain[at + k]! / length;
  return f;
}

/**
 * Returns the matrix of the projection onto the periodic directions of a cell. `at` is the index of the first number
 * of the cell in `cell`, and `flags` is the index of its first flag in `pbc`.
 */
export function alongPeriodic(
  cell: ArrayLike<number>,
  at: number,
  pbc: ArrayLike<number>,
  flags: number,
): Float64Array {
  const given = [0, 1, 2].filter((k) => pbc[flags + k] !== 0);
  const part = new Float64Array(9);
  if (given.length === 0) return part;
  if (given.length !== 1) part[0] = part[4] = part[8] = 1;
  if (given.length === 3) return part;
  const axis = row(cell, at, given[0]!);
  const normal = given.length === 1 ? axis : cross(axis, row(cell, at, given[1]!));
  const square = normal[0]! ** 2 + normal[1]! ** 2 + normal[2]! ** 2;
  const sign = given.length === 1 ? 1 : -1;
  for (let k = 0; k < 9; k++) {
    part[k]! += sign * normal[Math.floor(k / 3)]! * normal[k % 3]! / square;
  }
  return part;
}

function row(cell: ArrayLike<number>, at: number, k: number): number[] {
  return [cell[at + 3 * k]!, cell[at + 3 * k + 1]!, cell[at + 3 * k + 2]!];
}

function cross([a, b, c]: number[], [d, e, f]: number[]): number[] {
  return [b! * f! - c! * e!, c! * d! - a! * f!, a! * e! - b! * d!];
}

/** Returns the inverse of the deformation `f`, a 3 × 3 matrix. */
export function inverted(f: Float64Array): Float64Array {
  const inverse = new Float64Array(9);
  invertCell(f, 0, inverse);
  return inverse;
}
