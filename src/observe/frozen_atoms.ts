/**
 * Where frozen atoms belong.
 *
 * @module
 */

import type { Buffer } from "../backend/backend.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { shifted } from "../kernels/cells/unwrapped.ts";

const ANCHORED = new WeakSet<ResidentBatch>();

/** Where each atom belongs, not wrapped, Å: kept in checkpoints. */
export function anchorsOn(state: ResidentBatch): Buffer<"real"> {
  ANCHORED.add(state);
  return state.state("frozenAnchors", { dtype: "real", level: "node", width: 3 });
}

/** Whether any atom of a batch has such a place. */
export function hasAnchors(state: ResidentBatch): boolean {
  return ANCHORED.has(state);
}

/**
 * Brings those atoms to rest where they are now. Done again it changes nothing, for wrapped ones either: what
 * (x + n h) − n h once gave it gives for ever.
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
    for (let axis = 0; axis < 3; axis++) {
      const k = 3 * atom + axis;
      const off = images ? shifted(images, 3 * atom, cell, 9 * systemOfNode[atom]! + axis) : 0;
      anchors[k] = positions[k]! + off;
      velocities[k] = 0;
    }
  }
}
