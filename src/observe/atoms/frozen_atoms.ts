/**
 * Anchors of frozen atoms.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { shifted } from "../../kernels/cells/unwrapped.ts";

const ANCHORS = "frozenAnchors";
const ANCHORED = new WeakSet<ResidentBatch>();

/**
 * Returns the buffer of the anchors: the unwrapped position of each frozen atom, Å, three numbers per atom. The first
 * call creates the buffer and marks the batch as having anchors, so that checkpoints contain them.
 */
export function anchorsOn(state: ResidentBatch): Buffer<"real"> {
  ANCHORED.add(state);
  return state.state(ANCHORS, { dtype: "real", level: "node", width: 3 });
}

/** Returns whether a batch has anchors. */
export function hasAnchors(state: ResidentBatch): boolean {
  return ANCHORED.has(state);
}

/**
 * Anchors atoms at their current positions, and sets their velocities to 0. A second call changes nothing, even after
 * wrapping: the stored anchor x₀ is kept if the unwrapped position x + n h agrees with it within the rounding error
 * of x₀ − n h.
 */
export function anchor(state: ResidentBatch, frozen: ArrayLike<number>): void {
  const { images: counters, batch: { systemOfNode, nodeCount } } = state;
  const anchors = anchorsOn(state);
  const [positions, cell] = [state.mirroredField("positions"), state.mirroredField("cell")];
  const [images, known] = [counters && state.mirroredField("images"), state.mirroredState(ANCHORS)];
  const rounding = state.backend.real === "f32" ? 2 ** -22 : 2 ** -51;
  const unwrapped = positions.slice();
  const atoms: number[] = [];
  for (let atom = 0; atom < frozen.length; atom++) {
    if (frozen[atom] === 0) continue;
    atoms.push(atom);
    for (let axis = 0; axis < 3 && images !== undefined; axis++) {
      const k = 3 * atom + axis;
      const off = shifted(images as Int32Array, 3 * atom, cell, 9 * systemOfNode[atom]! + axis);
      const position = positions[k]! + off;
      const slack = rounding * (Math.abs(position) + Math.abs(off));
      const isThere = known !== undefined && Math.abs(known[k]! - position) <= slack;
      unwrapped[k] = isThere ? known[k]! : position;
    }
  }
  state.writeRows(anchors, atoms, unwrapped, 3);
  state.writeRows(state.field("velocities"), atoms, new Float64Array(3 * nodeCount), 3);
}
