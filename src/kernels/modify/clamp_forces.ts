import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  forces: "real changed",
  limit: "number",
} as const;

/**
 * Limits the force on each atom to a length L, without changing its direction: F = F min(1, L/|F|). `limit` L is one
 * number, eV/Å. A force with infinite components gets the direction of these components. A force with a NaN component
 * does not change.
 */
export const clampForces: Kernel<typeof args> = defineKernel(
  "clamp_forces",
  args,
  ({ forces, limit }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) clamp(forces, k, limit);
    }
  },
);

function clamp(forces: Float32Array | Float64Array, k: number, limit: number): void {
  const [x, y, z] = [forces[k]!, forces[k + 1]!, forces[k + 2]!];
  if (Number.isNaN(x + y + z) && (Number.isNaN(x) || Number.isNaN(y) || Number.isNaN(z))) return;
  const length = Math.hypot(x, y, z);
  if (!(length > limit)) return;
  const infinite = length === Infinity ? unlimited(x) + unlimited(y) + unlimited(z) : 0;
  for (let i = k; i < k + 3; i++) {
    forces[i] = infinite > 0
      ? unlimited(forces[i]!) * Math.sign(forces[i]!) * limit / Math.sqrt(infinite)
      : limit * (forces[i]! / length);
  }
}

/** Returns 1 for an infinite number, 0 for any other number. */
function unlimited(x: number): number {
  return Math.abs(x) === Infinity ? 1 : 0;
}
