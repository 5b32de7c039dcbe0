/**
 * Coordinate `axis` of an atom as if nothing had ever wrapped it: x + images · h, Å. `cell`: index of the first of
 * the nine numbers of its cell. Where nothing counts images, x.
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

/** Whole lattice vectors, three from `at` on, in the direction in which a cell's numbers from `from` on go. */
export function shifted(
  vectors: Int32Array,
  at: number,
  cells: ArrayLike<number>,
  from: number,
): number {
  return vectors[at]! * cells[from]! + vectors[at + 1]! * cells[from + 3]! +
    vectors[at + 2]! * cells[from + 6]!;
}
