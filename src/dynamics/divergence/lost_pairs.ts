/**
 * Reasons for which the pairs of a system could not be found.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { FLATTEST, isDeepEnough } from "../../kernels/pairs/find_pairs.ts";
import { latticeOf } from "../../kernels/pairs/lattice.ts";
import type { DivergedDetails } from "../diverged_error.ts";

/** Coordinates beyond this count as diverged, Å. */
const OUT_OF_REACH = 1e6;

/** Returns why the pairs of a system could not be found: an atom that is gone, or a cell that is too flat for them. */
export function lostPairs(
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
    const flat = flatness(
      state,
      cell.slice(9 * system, 9 * system + 9),
      pbc.slice(3 * system, 3 * system + 3),
    );
    if (flat !== undefined) return { flat };
    return { atom: atomOf(own.findIndex((value) => Math.abs(value) > OUT_OF_REACH)) };
  });
}

function atomOf(index: number): number | undefined {
  return index === -1 ? undefined : Math.floor(index / 3);
}

/** Returns the words for a cell that is too flat for the pairs of a list; `undefined` if no list has such pairs. */
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
    return `its faces are ${rounded(heights[k]!)} Å apart along ${"abc"[k]}, and pairs reach ${
      rounded(reach)
    } Å (cutoff ${rounded(cutoff)} Å, skin ${rounded(skin)} Å)`;
  }
}

function rounded(length: number): string {
  return String(Number(length.toPrecision(4)));
}
