/**
 * Lattice directions, heights and coordinates of cells with any periodicity.
 *
 * @module
 */

/** The properties of a cell that are used to find pairs. */
export interface Lattice {
  /**
   * Lattice vectors as rows, Å. Directions that are not periodic have unit vectors normal to the
   * others.
   */
  readonly rows: Float64Array;
  /** Rows of the inverse matrix, 1/Å. The lattice coordinate k of x is `x · inverse[k]`. */
  readonly inverse: Float64Array;
  /** Distance between opposite faces of the cell, for each direction, Å. */
  readonly heights: Float64Array;
  /** True for each periodic direction. */
  readonly periodic: readonly [boolean, boolean, boolean];
}

/**
 * Returns the lattice of a cell, which has nine numbers and three flags. Cell vectors of directions that are not
 * periodic are ignored and may be zero.
 */
export function latticeOf(cell: ArrayLike<number>, pbc: ArrayLike<number>): Lattice {
  const periodic = [pbc[0] !== 0, pbc[1] !== 0, pbc[2] !== 0] as const;
  const rows = completeRows(cell, periodic);
  const inverse = new Float64Array(9);
  for (let k = 0; k < 3; k++) cross(rows, (k + 1) % 3, rows, (k + 2) % 3, inverse, k);
  const volume = dot(rows, 0, inverse, 0);
  const heights = new Float64Array(3);
  for (let k = 0; k < 3; k++) {
    heights[k] = Math.abs(volume) / Math.sqrt(dot(inverse, k, inverse, k));
    for (let d = 0; d < 3; d++) inverse[3 * k + d]! /= volume;
  }
  return { rows, inverse, heights, periodic };
}

/**
 * Replaces all rows of directions that are not periodic by unit vectors that are normal to the
 * periodic rows and to each other.
 */
function completeRows(cell: ArrayLike<number>, periodic: readonly boolean[]): Float64Array {
  const rows = Float64Array.from(
    { length: 9 },
    (_, i) => periodic[Math.floor(i / 3)] ? cell[i]! : 0,
  );
  const open = [0, 1, 2].filter((k) => !periodic[k]);
  if (open.length === 3) rows.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  if (open.length === 2) {
    const k = [0, 1, 2].find((k) => periodic[k])!;
    const least = [0, 1, 2].reduce((a, b) =>
      Math.abs(rows[3 * k + b]!) < Math.abs(rows[3 * k + a]!) ? b : a
    );
    const axis = new Float64Array(3);
    axis[least] = 1;
    cross(rows, k, axis, 0, rows, (k + 1) % 3);
    normalize(rows, (k + 1) % 3);
  }
  if (open.length === 1 || open.length === 2) {
    const k = open.length === 1 ? open[0]! : ([0, 1, 2].find((k) => periodic[k])! + 2) % 3;
    cross(rows, (k + 1) % 3, rows, (k + 2) % 3, rows, k);
    normalize(rows, k);
  }
  return rows;
}

/** Writes the cross product of row i of `a` and row j of `b` to row k of `to`. */
function cross(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  to: Float64Array,
  k: number,
): void {
  const [x, y, z] = [a[3 * i]!, a[3 * i + 1]!, a[3 * i + 2]!];
  const [u, v, w] = [b[3 * j]!, b[3 * j + 1]!, b[3 * j + 2]!];
  to[3 * k] = y * w - z * v;
  to[3 * k + 1] = z * u - x * w;
  to[3 * k + 2] = x * v - y * u;
}

function dot(a: Float64Array, i: number, b: Float64Array, j: number): number {
  return a[3 * i]! * b[3 * j]! + a[3 * i + 1]! * b[3 * j + 1]! + a[3 * i + 2]! * b[3 * j + 2]!;
}

function normalize(rows: Float64Array, k: number): void {
  const length = Math.sqrt(dot(rows, k, rows, k));
  for (let d = 0; d < 3; d++) rows[3 * k + d]! /= length;
}
