/**
 * How far a cell is from the one it began as: F = 1 + q/κ, symmetric, so that it does not turn.
 *
 * @module
 */

import { invertCell } from "./inverse.ts";

/**
 * κ = 3 √n Å of a system of n atoms. With coordinates q = κ (F − 1) a strain counts as much as if each atom had moved by
 * so much of 3 Å, about the distance of neighbors: the cell is then about as stiff as the atoms' own vibrations,
 * however many there are.
 */
export const STRAIN_LENGTH = 3;

/** κ of so many atoms, Å. */
export function strainLength(atoms: number): number {
  return STRAIN_LENGTH * Math.sqrt(Math.max(1, atoms));
}

/** F of the nine numbers of q from `at` on. */
export function deformation(strain: ArrayLike<number>, at: number, length: number): Float64Array {
  const f = new Float64Array(9);
  for (let k = 0; k < 9; k++) f[k] = (k % 4 === 0 ? 1 : 0) + strain[at + k]! / length;
  return f;
}

/** What takes any vector to its part along the periodic directions of the cell from `at` on. */
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

/** F⁻¹. */
export function inverted(f: Float64Array): Float64Array {
  const inverse = new Float64Array(9);
  invertCell(f, 0, inverse);
  return inverse;
}
