import { latticeOf } from "./lattice.ts";

/** What takes the strain of a cell off positions, so that they can be compared with those of before. */
export interface PullBack {
  /** y = x + x B: nine numbers. */
  readonly off: Float64Array;
  /** No vector is made longer by it than by this part of its length: the norm of B. */
  readonly size: number;
}

/** From a cell to the one it was: B = h⁻¹ (h₀ − h). Nothing of it is a number where the cell has collapsed. */
export function pullBack(
  cell: ArrayLike<number>,
  before: ArrayLike<number>,
  pbc: ArrayLike<number>,
): PullBack {
  const [now, then] = [latticeOf(cell, pbc), latticeOf(before, pbc)];
  const off = new Float64Array(9);
  let square = 0;
  for (let d = 0; d < 3; d++) {
    for (let e = 0; e < 3; e++) {
      for (let k = 0; k < 9; k += 3) {
        off[3 * d + e]! += now.inverse[k + d]! * (then.rows[k + e]! - now.rows[k + e]!);
      }
      square += off[3 * d + e]! ** 2;
    }
  }
  return { off, size: Math.sqrt(square) };
}
