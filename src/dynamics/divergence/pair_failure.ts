/**
 * Reasons why the neighbor pairs of a system could not be found.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { FLATTEST, isDeepEnough } from "../../kernels/pairs/find_pairs.ts";
import { farthestIn } from "../../kernels/pairs/neighbors.ts";
import { latticeOf } from "../../kernels/pairs/lattice.ts";
import type { DivergedDetails } from "../diverged_error.ts";

/**
 * Returns the reason why the pairs of a system could not be found: an atom that is not finite or too far away, or a
 * cell that is not finite or too flat.
 */
export function pairFailure(
  state: ResidentBatch,
  system: number,
): DivergedDetails | Promise<DivergedDetails> {
  const { batch: { nodeOffsets } } = state;
  const buffers = {
    positions: state.field("positions"),
    cell: state.field("cell"),
    pbc: state.field<"i32">("pbc"),
  };
  return state.withArrays(buffers, [], ({ positions, cell, pbc }) => {
    const own = positions.subarray(3 * nodeOffsets[system]!, 3 * nodeOffsets[system + 1]!);
    const atom = atomOf(own.findIndex((value) => !Number.isFinite(value)));
    if (atom !== undefined) return { atom };
    const rows = cell.slice(9 * system, 9 * system + 9);
    const flags = pbc.slice(3 * system, 3 * system + 3);
    if (!rows.every(Number.isFinite)) return { cause: "cell" };
    const flat = flatness(state, rows, flags);
    if (flat !== undefined) return { cause: "cell", flat };
    const most = farthestIn(rows, flags);
    return { atom: atomOf(own.findIndex((value) => Math.abs(value) > most)) };
  });
}

function atomOf(index: number): number | undefined {
  return index === -1 ? undefined : Math.floor(index / 3);
}

/**
 * Returns the explanation for a message if the cell is too flat for the pairs of a list; `undefined` if it is deep
 * enough for all lists.
 */
function flatness(
  state: ResidentBatch,
  cell: ArrayLike<number>,
  pbc: ArrayLike<number>,
): string | undefined {
  const { heights, periodic } = latticeOf(cell, pbc);
  if (!heights.every(Number.isFinite)) return undefined;
  for (const { cutoff, skin } of state.allPairs) {
    const reach = cutoff + skin;
    if (isDeepEnough(cell, pbc, reach)) continue;
    const k = periodic.findIndex((is, k) => is && !(heights[k]! >= FLATTEST * reach));
    return `${gap(heights, k)}, and ${reached({ cutoff, skin })}`;
  }
}

/** Returns the details for a message if an atom has more pairs than the device can process. */
export function tooManyPairs(
  state: ResidentBatch,
  system: number,
): DivergedDetails | Promise<DivergedDetails> {
  const buffers = { cell: state.field("cell"), pbc: state.field<"i32">("pbc") };
  return state.withArrays(buffers, [], ({ cell, pbc }) => {
    const { heights, periodic } = latticeOf(
      cell.subarray(9 * system, 9 * system + 9),
      pbc.subarray(3 * system, 3 * system + 3),
    );
    const longest = [...state.allPairs].reduce((a, b) => b.cutoff > a.cutoff ? b : a);
    const repeated = [0, 1, 2].filter((k) => periodic[k]);
    if (repeated.length === 0) return { flat: reached(longest), isPeriodic: false };
    const k = repeated.reduce((a, b) => heights[b]! < heights[a]! ? b : a);
    return { flat: `${gap(heights, k)}, and ${reached(longest)}`, isPeriodic: true };
  });
}

function gap(heights: ArrayLike<number>, k: number): string {
  return `its faces are ${rounded(heights[k]!)} Å apart along ${"abc"[k]}`;
}

function reached({ cutoff, skin }: { readonly cutoff: number; readonly skin: number }): string {
  return `pairs reach ${rounded(cutoff + skin)} Å (cutoff ${rounded(cutoff)} Å, skin ${
    rounded(skin)
  } Å)`;
}

function rounded(length: number): string {
  return String(Number(length.toPrecision(4)));
}
