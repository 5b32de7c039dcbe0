/**
 * Lattice coordinates in cells with any periodicity.
 *
 * @module
 */

const rows = new Float64Array(9);

/**
 * Returns the three lattice vectors, as rows, of the cell that begins at index `at`, Å. Vectors of zeros are replaced
 * by unit vectors that are normal to the other vectors. Every call returns the same array.
 */
export function completedRows(cell: ArrayLike<number>, at: number): Float64Array {
  for (let i = 0; i < 9; i++) rows[i] = cell[at + i]!;
  const [a, b, c] = [isZero(0), isZero(1), isZero(2)];
  const missing = Number(a) + Number(b) + Number(c);
  if (missing === 3) rows[0] = rows[4] = rows[8] = 1;
  if (missing === 2) {
    const given = !a ? 0 : !b ? 1 : 2;
    normalTo(given);
    crossRows((given + 2) % 3, given, (given + 1) % 3);
  }
  if (missing === 1) crossRows(a ? 0 : b ? 1 : 2, a ? 1 : b ? 2 : 0, a ? 2 : b ? 0 : 1);
  return rows;
}

/**
 * Writes to `out` the matrix that converts a position x to lattice coordinates: coordinate k is Σᵢ xᵢ out[3 i + k].
 * Returns false for a cell without volume.
 */
export function invertCell(cell: ArrayLike<number>, at: number, out: Float64Array): boolean {
  const [a, b, c, d, e, f, g, h, i] = completedRows(cell, at) as unknown as Nine;
  out[0] = e * i - f * h, out[1] = c * h - b * i, out[2] = b * f - c * e;
  out[3] = f * g - d * i, out[4] = a * i - c * g, out[5] = c * d - a * f;
  out[6] = d * h - e * g, out[7] = b * g - a * h, out[8] = a * e - b * d;
  const volume = a * out[0] + b * out[3] + c * out[6];
  for (let k = 0; k < 9; k++) out[k]! /= volume;
  return volume !== 0;
}

type Nine = [number, number, number, number, number, number, number, number, number];

/**
 * Returns the signed volume a · (b × c) of the cell that begins at index `at`, Å³. It is negative for a left-handed
 * cell.
 */
export function signedVolume(cell: ArrayLike<number>, at: number): number {
  const [a, b, c] = [cell[at]!, cell[at + 1]!, cell[at + 2]!];
  const [d, e, f] = [cell[at + 3]!, cell[at + 4]!, cell[at + 5]!];
  const [g, h, i] = [cell[at + 6]!, cell[at + 7]!, cell[at + 8]!];
  return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g);
}

function isZero(row: number): boolean {
  return rows[3 * row] === 0 && rows[3 * row + 1] === 0 && rows[3 * row + 2] === 0;
}

/** Replaces row k + 1, cyclically, by a unit vector normal to row k. */
function normalTo(k: number): void {
  const to = (k + 1) % 3;
  const [x, y, z] = [rows[3 * k]!, rows[3 * k + 1]!, rows[3 * k + 2]!].map(Math.abs) as [
    number,
    number,
    number,
  ];
  const least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
  const axis = (k + 2) % 3;
  rows[3 * axis] = rows[3 * axis + 1] = rows[3 * axis + 2] = 0;
  rows[3 * axis + least] = 1;
  crossRows(to, k, axis);
}

/** Replaces row `to` by the unit vector along the cross product of rows i and j. */
function crossRows(to: number, i: number, j: number): void {
  const [x, y, z] = [rows[3 * i]!, rows[3 * i + 1]!, rows[3 * i + 2]!];
  const [u, v, w] = [rows[3 * j]!, rows[3 * j + 1]!, rows[3 * j + 2]!];
  const [p, q, r] = [y * w - z * v, z * u - x * w, x * v - y * u];
  const length = Math.sqrt(p * p + q * q + r * r);
  rows[3 * to] = p / length, rows[3 * to + 1] = q / length, rows[3 * to + 2] = r / length;
}
