/**
 * Returns one coordinate of an atom before wrapping, x + images · h, Å. Returns x if `images` or `cells` is
 * undefined. `cell` is the index of the first number of the system's cell in `cells`.
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
 * Returns coordinate 0 of a lattice translation, Å. The three integers of the translation begin at index `at` of
 * `vectors`. The cell begins at index `from` of `cells`; `from` + k selects coordinate k.
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
