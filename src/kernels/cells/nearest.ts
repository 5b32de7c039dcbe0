/**
 * Replaces a vector d by its nearest image, d −= round(d h⁻¹) h along periodic directions. `at` is the index of the
 * first number of the cell h in `cells`, `first` is the index of its first flag in `pbc`, and `inverse` is h⁻¹ from
 * `invertCell`. The result is the shortest image if it is shorter than half the smallest height of the cell.
 */
export function nearest(
  vector: Float64Array,
  inverse: Float64Array,
  cells: ArrayLike<number>,
  at: number,
  pbc: ArrayLike<number>,
  first: number,
): void {
  const [x, y, z] = [vector[0]!, vector[1]!, vector[2]!];
  for (let k = 0; k < 3; k++) {
    if (pbc[first + k] === 0) continue;
    const n = Math.round(x * inverse[k]! + y * inverse[3 + k]! + z * inverse[6 + k]!);
    if (n === 0) continue;
    for (let axis = 0; axis < 3; axis++) vector[axis]! -= n * cells[at + 3 * k + axis]!;
  }
}
