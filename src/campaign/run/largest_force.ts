import type { Batch } from "../../batch/batch.ts";

/** Returns the largest force on an atom of a system, eV/Å; NaN if the batch has no forces. */
export function largestForce(batch: Batch, system: number): number {
  if (!batch.has("forces")) return NaN;
  const forces = batch.get("forces");
  let most = 0;
  for (let node = batch.nodeOffsets[system]!; node < batch.nodeOffsets[system + 1]!; node++) {
    const force = Math.hypot(forces[3 * node]!, forces[3 * node + 1]!, forces[3 * node + 2]!);
    if (!(force <= most)) most = force; // NaN is kept
  }
  return most;
}
