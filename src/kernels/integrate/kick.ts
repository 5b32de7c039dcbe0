import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  velocities: "real changed",
  forces: "real",
  weights: "real",
  dt: "real",
} as const;

/**
 * Accelerates atoms over half a step: v += ½ dt w F.
 *
 * - `weights` w: ACCELERATION / mass per atom.
 * - `dt`: time step in fs, per system.
 */
export const kick: Kernel<typeof args> = defineKernel(
  "kick",
  args,
  ({ velocities, forces, weights, dt }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const half = dt[s]! / 2;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const w = half * weights[a]!;
        for (let k = 3 * a; k < 3 * a + 3; k++) velocities[k]! += w * forces[k]!;
      }
    }
  },
);
