/**
 * Where frozen atoms belong.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { shifted } from "../../kernels/cells/unwrapped.ts";

const ANCHORS = "frozenAnchors";
const ANCHORED = new WeakSet<ResidentBatch>();

/** Where each atom belongs, not wrapped, Å: kept in checkpoints. */
export function anchorsOn(state: ResidentBatch): Buffer<"real"> {
  ANCHORED.add(state);
  return state.state(ANCHORS, { dtype: "real", level: "node", width: 3 });
}

/** Whether any atom of a batch has such a place. */
export function hasAnchors(state: ResidentBatch): boolean {
  return ANCHORED.has(state);
}

/**
 * Brings those atoms to rest where they are now. Done again it changes nothing, for wrapped ones either: an atom that is
 * where its place x₀ puts it, but for what rounding takes off x₀ − n h, keeps that place.
 */
export function anchor(state: ResidentBatch, frozen: ArrayLike<number>): void {
  const { images: counters, batch: { systemOfNode, nodeCount } } = state;
  const anchors = anchorsOn(state);
  const [positions, cell] = [state.mirroredField("positions"), state.mirroredField("cell")];
  const [images, known] = [counters && state.mirroredField("images"), state.mirroredState(ANCHORS)];
  const rounding = state.backend.real === "f32" ? 2 ** -22 : 2 ** -51;
  const places = positions.slice();
  const atoms: number[] = [];
  for (let atom = 0; atom < frozen.length; atom++) {
    if (frozen[atom] === 0) continue;
    atoms.push(atom);
    for (let axis = 0; axis < 3 && images !== undefined; axis++) {
      const k = 3 * atom + axis;
      const off = shifted(images as Int32Array, 3 * atom, cell, 9 * systemOfNode[atom]! + axis);
      const place = positions[k]! + off;
      const slack = rounding * (Math.abs(place) + Math.abs(off));
      const isThere = known !== undefined && Math.abs(known[k]! - place) <= slack;
      places[k] = isThere ? known[k]! : place;
    }
  }
  state.writeRows(anchors, atoms, places, 3);
  state.writeRows(state.field("velocities"), atoms, new Float64Array(3 * nodeCount), 3);
}
