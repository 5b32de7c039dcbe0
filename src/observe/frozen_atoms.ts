/**
 * Where frozen atoms belong.
 *
 * @module
 */

import type { Buffer } from "../backend/backend.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { shifted } from "../kernels/cells/unwrapped.ts";

const ANCHORED = new WeakSet<ResidentBatch>();

/** How far, in Å, an atom that was wrapped may be from its place by rounding alone. */
const ROUNDING = 1e-4;

/** Where each atom belongs, not wrapped, Å: kept in checkpoints. */
export function anchorsOn(state: ResidentBatch): Buffer<"real"> {
  ANCHORED.add(state);
  return state.state("frozenAnchors", { dtype: "real", level: "node", width: 3, initial: NaN });
}

/** Whether any atom of a batch has such a place. */
export function hasAnchors(state: ResidentBatch): boolean {
  return ANCHORED.has(state);
}

/**
 * Brings those atoms to rest where they are now. One that is where it belongs keeps its place to the bit; others, as
 * somebody has moved them, belong where they are.
 */
export function anchor(state: ResidentBatch, frozen: ArrayLike<number>): void {
  const { backend, images: counters, batch: { systemOfNode } } = state;
  const buffers = [
    anchorsOn(state),
    state.field("positions"),
    state.field("velocities"),
    state.field("cell"),
  ] as const;
  // Views at last, as whatever makes buffers may move them.
  const [anchors, positions, velocities, cell] = buffers.map((buffer) => backend.view(buffer)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const images = counters && backend.view(counters);
  for (let atom = 0; atom < frozen.length; atom++) {
    if (frozen[atom] === 0) continue;
    const off = [0, 1, 2].map((axis) =>
      images ? shifted(images, 3 * atom, cell, 9 * systemOfNode[atom]! + axis) : 0
    );
    const isThere = off.every((shift, axis) => {
      const error = Math.abs(positions[3 * atom + axis]! - (anchors[3 * atom + axis]! - shift));
      return shift === 0 ? error === 0 : error <= ROUNDING;
    });
    for (const [axis, shift] of off.entries()) {
      const k = 3 * atom + axis;
      if (!isThere) anchors[k] = positions[k]! + shift;
      velocities[k] = 0;
    }
  }
  state.touch("velocities");
}
