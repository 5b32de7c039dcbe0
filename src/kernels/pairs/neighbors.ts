import { Control, defineKernel, type Frame, type Kernel } from "../kernel.ts";
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

/** A position further from the origin, in Å, is no number any more. */
const FARTHEST = 1e9;

/** Nor is one further from the origin than so many cells, along a periodic direction. */
const MOST_CELLS = 2 ** 20;

/**
 * Finds the pairs of a system anew when they may no longer be all: when an atom has moved by more than half the
 * skin since they were found. Where the cell has been strained meanwhile, the strain is taken off the positions first,
 * y = x + x B; what it may bring nearer is taken off the skin, which is then shorter by |B| times the cutoff.
 *
 * `positions` x: three per atom, Å, anywhere; `cell` h: nine per system; `pbc`: three flags per system; `images` m:
 * the whole lattice vectors that wrapping took off each atom. What counts as moving is x + m h, so wrapping an atom
 * neither forces a new list nor hides that one is needed.
 *
 * A position that is not finite, or more than 1e9 Å or a million cells away, or a cell that has collapsed, writes
 * `Control.DIVERGED` and halts the run: forces, energies and pairs of that system mean nothing then.
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
      if (isLost(now) || !update(pairs.systems[s]!, now, pairs)) diverge(frame, s);
    }
  },
);

/** A system as it is. */
interface Now {
  readonly positions: Float32Array | Float64Array;
  readonly images: Int32Array | undefined;
  readonly cell: Float32Array | Float64Array;
  readonly pbc: Int32Array;
}

function diverge({ control }: Frame, system: number): void {
  if (control[Control.DIVERGED] === 0) {
    control[Control.DIVERGED] = system + 1;
    control[Control.CAUSE] = 0;
  }
  control[Control.HALT] = 1;
}

/** Whether an atom is where no number is. */
function isLost({ positions, cell, pbc }: Now): boolean {
  let most = FARTHEST;
  for (let k = 0; k < 3; k++) {
    if (pbc[k] !== 0) {
      const length = Math.hypot(cell[3 * k]!, cell[3 * k + 1]!, cell[3 * k + 2]!);
      most = Math.min(most, MOST_CELLS * length);
    }
  }
  for (let i = 0; i < positions.length; i++) {
    if (!(Math.abs(positions[i]!) <= most)) return true;
  }
  return false;
}

/** Finds the pairs when they are due; false where the cell has collapsed. */
function update(pairs: SystemPairs, now: Now, { cutoff, skin }: PairList): boolean {
  const reach = cutoff + skin;
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

/** Whether an atom has moved so far since the pairs were found that some may be missing. */
function hasMoved(pairs: SystemPairs, now: Now, cutoff: number, skin: number): boolean {
  if (!hasChanged(pairs, now)) return isBeyond(pairs, now, skin / 2);
  const back = pullBack(now.cell, pairs.cell, now.pbc);
  const limit = (skin - back.size * cutoff) / 2;
  return !(limit > 0) || isBeyond(pairs, now, limit, back);
}

/** Whether an atom has moved by more than `limit` since the pairs were found. */
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
    if (!(square <= limit * limit)) return true;
  }
  return false;
}

const place = new Float64Array(3);

/** What is to be added to `place` along one axis. */
function strainOf(axis: number, back: PullBack | undefined): number {
  if (back === undefined) return 0;
  const { off } = back;
  return place[0]! * off[axis]! + place[1]! * off[3 + axis]! + place[2]! * off[6 + axis]!;
}

/** Removes the strain of a cell from positions, so that they can be compared with those before it. */
interface PullBack {
  /** y = x + x B: nine numbers. */
  readonly off: Float64Array;
  /** No vector is made longer by it than by this part of its length: the norm of B. */
  readonly size: number;
}

/** Returns the way from a cell back to an earlier one: B = h⁻¹ (h₀ − h). All of it is NaN if the cell has collapsed. */
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
