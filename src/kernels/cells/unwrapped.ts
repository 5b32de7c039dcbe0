/**
 * Returns coordinate `axis` of an atom before wrapping: x + images · h, Å, or x without `images`.
 * `cell`: offset of the nine numbers of its cell.
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
 * Returns one coordinate of a lattice translation: the three integers at `at`, times the column of
 * the cell that begins at `from`.
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
