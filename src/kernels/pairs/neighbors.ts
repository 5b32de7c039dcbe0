import { FARTHEST } from "../check_finite.ts";
import { defineKernel, type Kernel, reportDiverged } from "../kernel.ts";
import type { PairList, SystemPairs } from "./pair_list.ts";
import { findPairs, isDeepEnough } from "./find_pairs.ts";
import { latticeOf } from "./lattice.ts";

const args = {
  pairs: "pairs",
  positions: "real",
  cell: "real",
  pbc: "i32",
  images: "i32 optional",
} as const;

/**
 * Largest allowed coordinate of a position, in lengths of a periodic cell vector. Positions beyond it are treated as
 * not finite.
 */
const MOST_CELLS = 2 ** 20;

/**
 * Finds the pairs of a system again if the list may be incomplete, because an atom has moved by more than half the
 * skin since the last search. If the cell has been strained since then, the strain is first removed from the
 * positions, y = x + x B. Removing it can bring atoms closer by up to |B| times the cutoff, so the skin is reduced by
 * this length.
 *
 * - `positions` x: three numbers per atom, Å; need not be wrapped.
 * - `cell` h: nine numbers per system, Å.
 * - `pbc`: three flags per system.
 * - `images` m: lattice translations that wrapping has removed from each atom.
 *
 * Displacements are those of x + m h, so that wrapping neither triggers a search nor hides a displacement.
 *
 * If a coordinate is not finite, or exceeds 1e9 Å or a million cells, or if the cell has collapsed, the kernel sets
 * `Control.DIVERGED` and halts the run. Forces, energies and pairs of that system are then invalid.
 */
export const neighbors: Kernel<typeof args> = defineKernel(
  "neighbors",
  args,
  ({ pairs, positions, cell, pbc, images }, frame) => {
    for (let s = 0; s < frame.systems; s++) {
      if (frame.active[s] === 0) continue;
      const [from, to] = [3 * frame.offsets[s]!, 3 * frame.offsets[s + 1]!];
      const now: Now = {
        positions: positions.subarray(from, to),
        images: images?.subarray(from, to),
        cell: cell.subarray(9 * s, 9 * s + 9),
        pbc: pbc.subarray(3 * s, 3 * s + 3),
      };
      if (isInvalid(now) || !update(pairs.systems[s]!, now, pairs)) {
        reportDiverged(frame.control, s, 0);
      }
    }
  },
);

/** Current positions, image counters and cell of one system. */
interface Now {
  readonly positions: Float32Array | Float64Array;
  readonly images: Int32Array | undefined;
  readonly cell: Float32Array | Float64Array;
  readonly pbc: Int32Array;
}

/** Returns whether a coordinate is not finite or too large. */
function isInvalid({ positions, cell, pbc }: Now): boolean {
  const most = farthestIn(cell, pbc);
  for (let i = 0; i < positions.length; i++) {
    if (!(Math.abs(positions[i]!) <= most)) return true;
  }
  return false;
}

/** Returns the largest allowed absolute value of a coordinate in Å, for a cell of nine numbers and three flags. */
export function farthestIn(cell: ArrayLike<number>, pbc: ArrayLike<number>): number {
  let most = FARTHEST;
  for (let k = 0; k < 3; k++) {
    if (pbc[k] !== 0) {
      const length = Math.hypot(cell[3 * k]!, cell[3 * k + 1]!, cell[3 * k + 2]!);
      most = Math.min(most, MOST_CELLS * length);
    }
  }
  return most;
}

/** Searches the pairs of a system again if its list may be incomplete. Returns false if the cell has collapsed. */
function update(pairs: SystemPairs, now: Now, { cutoff, skin }: PairList): boolean {
  const reach = cutoff + skin;
  // A checkpoint stores the positions of the last search, not its pairs. The same search finds the same pairs in the same
  // order, so that sums over them are bitwise identical after a restart.
  if (pairs.isLoaded) {
    pairs.isLoaded = false;
    findPairs(pairs, now.pbc, reach);
  }
  if (pairs.builds > 0 && !hasMoved(pairs, now, cutoff, skin)) return true;
  const { positions, images, cell, pbc } = now;
  if (!isDeepEnough(cell, pbc, reach)) return false;
  pairs.reference = Float64Array.from(positions);
  pairs.images = images === undefined ? new Int32Array(positions.length) : images.slice();
  pairs.cell = Float64Array.from(cell);
  pairs.builds++;
  findPairs(pairs, pbc, reach);
  return true;
}

function hasChanged(pairs: SystemPairs, { cell }: Now): boolean {
  for (let i = 0; i < 9; i++) if (pairs.cell[i] !== cell[i]) return true;
  return false;
}

/**
 * Returns whether pairs may be missing because atoms or the cell have moved since the last search.
 */
function hasMoved(pairs: SystemPairs, now: Now, cutoff: number, skin: number): boolean {
  if (!hasChanged(pairs, now)) return isBeyond(pairs, now, skin / 2);
  // All atoms follow a strain of the cell. Only their motion relative to the cell counts; otherwise a barostat would
  // trigger a search in every step.
  const back = pullBack(now.cell, pairs.cell, now.pbc);
  const limit = (skin - back.size * cutoff) / 2;
  return !(limit > 0) || isBeyond(pairs, now, limit, back);
}

/**
 * Returns whether an atom has moved by more than `limit` since the last search. With `back`, the strain of the cell
 * is first removed.
 */
function isBeyond(pairs: SystemPairs, now: Now, limit: number, back?: PullBack): boolean {
  const { positions, images, cell } = now;
  for (let a = 0; a < positions.length; a += 3) {
    const m = (images?.[a] ?? 0) - pairs.images[a]!;
    const n = (images?.[a + 1] ?? 0) - pairs.images[a + 1]!;
    const o = (images?.[a + 2] ?? 0) - pairs.images[a + 2]!;
    for (let d = 0; d < 3; d++) {
      const whole = m * cell[d]! + n * cell[3 + d]! + o * cell[6 + d]!;
      place[d] = positions[a + d]! + whole;
    }
    let square = 0;
    for (let d = 0; d < 3; d++) {
      square += (place[d]! + strainOf(d, back) - pairs.reference[a + d]!) ** 2;
    }
    if (!(square <= limit * limit)) return true; // also true for NaN
  }
  return false;
}

/** The position of one atom in `isBeyond`. It is allocated once, because `isBeyond` runs at each step. */
const place = new Float64Array(3);

/** Returns the number to add to one coordinate of `place` to remove the strain; 0 without `back`. */
function strainOf(axis: number, back: PullBack | undefined): number {
  if (back === undefined) return 0;
  const { off } = back;
  return place[0]! * off[axis]! + place[1]! * off[3 + axis]! + place[2]! * off[6 + axis]!;
}

/**
 * A linear map that removes the strain of a cell from positions, so that they can be compared with the positions of
 * the last search.
 */
interface PullBack {
  /** The matrix B of y = x + x B, nine numbers. */
  readonly off: Float64Array;
  /** The norm of B. The map changes the length of a vector by at most this fraction. */
  readonly size: number;
}

/**
 * Returns the map from a cell back to an earlier one: B = h⁻¹ (h₀ − h). All entries are NaN if the
 * cell has collapsed.
 */
function pullBack(
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
