/**
 * Moving of atoms by the user while a run is paused.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { AtomMove } from "./messages.ts";

/** Shortest distance between atoms, Å. Forces of closer atoms would end the run. */
const CLOSEST = 0.5;

/**
 * Moves an atom to rest at a new position. Its system counts as not converged again. Returns the distance from its old
 * position, Å.
 *
 * @throws {RangeError} if there is no such atom, or another atom is at the position
 */
export function moveAtom(batch: Batch, move: AtomMove): number {
  const { system, atom, position } = move, { nodeOffsets } = batch;
  const first = nodeOffsets[system], atoms = (nodeOffsets[system + 1] ?? NaN) - (first ?? NaN);
  if (!(Number.isInteger(atom) && atom >= 0 && atom < atoms)) {
    throw new RangeError(
      `Cannot move atom ${atom} of system ${system}: there is no such atom`,
    );
  }
  const at = 3 * (first! + atom), place = position.map((x) => x.toFixed(2)).join(", ");
  if (!(position.length === 3 && position.every((x) => Math.abs(x) < 1e6))) {
    throw new RangeError(`Cannot move atom ${atom} to ${place}: it must be three numbers, Å`);
  }
  const other = closeAtom(batch, move);
  if (other !== undefined) {
    throw new RangeError(
      `Cannot move atom ${atom} to ${place}: atom ${other} is less than ${CLOSEST} Å away`,
    );
  }
  const before = Array.from(batch.get("positions").subarray(at, at + 3));
  setAt(batch, "positions", at, position);
  setAt(batch, "velocities", at, [0, 0, 0]);
  if (batch.has("status")) setAt(batch, "status", system, [0]);
  return Math.hypot(...position.map((x, d) => x - before[d]!));
}

function setAt(batch: Batch, name: string, at: number, numbers: readonly number[]): void {
  if (!batch.has(name)) return;
  const values = batch.get(name).slice();
  values.set(numbers, at);
  batch.set(name, values);
}

/** Returns the index of an atom that is too close to the new position, in this cell or the next ones. */
function closeAtom(
  batch: Batch,
  { system, atom, position }: AtomMove,
): number | undefined {
  const { nodeOffsets } = batch, positions = batch.get("positions");
  const cell = batch.get("cell").subarray(9 * system, 9 * system + 9);
  const pbc = batch.get("pbc").subarray(3 * system, 3 * system + 3);
  const shifts = [0, 1, 2].map((d) => pbc[d] === 1 ? [-1, 0, 1] : [0]);
  const images = shifts[0]!.flatMap((i) =>
    shifts[1]!.flatMap((j) =>
      shifts[2]!.map((k) =>
        [0, 1, 2].map((d) => i * cell[d]! + j * cell[3 + d]! + k * cell[6 + d]!)
      )
    )
  );
  const first = nodeOffsets[system]!, count = nodeOffsets[system + 1]! - first;
  for (let other = 0; other < count; other++) {
    if (other === atom) continue;
    const at = 3 * (first + other);
    const isClose = images.some((image) =>
      Math.hypot(...image.map((x, d) => positions[at + d]! + x - position[d]!)) < CLOSEST
    );
    if (isClose) return other;
  }
}
