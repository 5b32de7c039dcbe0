/**
 * Returns one coordinate of an atom before wrapping, x + images · h, Å; without `images`, returns x. `cell` is the
 * offset of the system's nine numbers in `cells`.
 */
export function unwrapped(
  positions: ArrayLike<number>,
  atom: number,
  axis: number,
  images: Int32Array | undefined,
  cells: ArrayLike<number> | undefined,
  cell: number,
): number {
  const x = positions[3 * atom + axis]!;
  return images === undefined || cells === undefined
    ? x
    : x + shifted(images, 3 * atom, cells, cell + axis);
}

/**
 * Returns one coordinate of a lattice translation: the three integers from index `at` on, times the column of the
 * cell that begins at index `from`.
 */
export function shifted(
  vectors: Int32Array,
  at: number,
  cells: ArrayLike<number>,
  from: number,
): number {
  return vectors[at]! * cells[from]! + vectors[at + 1]! * cells[from + 3]! +
    vectors[at + 2]! * cells[from + 6]!;
}
