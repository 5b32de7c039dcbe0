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
  const { images: counters, batch: { systemOfNode, nodeCount } } = state;
  const [positions, cell] = [state.valuesOf("positions"), state.valuesOf("cell")];
  const images = counters && state.valuesOf("images");
  const places = positions.slice();
  const atoms: number[] = [];
  for (let atom = 0; atom < frozen.length; atom++) {
    if (frozen[atom] === 0) continue;
    atoms.push(atom);
    for (let axis = 0; axis < 3 && images !== undefined; axis++) {
      const off = shifted(images as Int32Array, 3 * atom, cell, 9 * systemOfNode[atom]! + axis);
      places[3 * atom + axis] = positions[3 * atom + axis]! + off;
    }
  }
  state.writeRows(anchorsOn(state), atoms, places, 3);
  state.writeRows(state.field("velocities"), atoms, new Float64Array(3 * nodeCount), 3);
}
