import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  positions: "real changed",
  velocities: "real changed",
  forces: "real",
  weights: "real",
  dt: "real",
} as const;

/**
 * Half a kick and a drift, the first part of velocity Verlet: v += ½ dt w F; x += dt v.
 *
 * `weights` w: ACCELERATION / mass per atom; `dt`: fs per system.
 */
export const kickDrift: Kernel<typeof args> = defineKernel(
  "kick_drift",
  args,
  ({ positions, velocities, forces, weights, dt }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const [step, half] = [dt[s]!, dt[s]! / 2];
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const w = half * weights[a]!;
        for (let k = 3 * a; k < 3 * a + 3; k++) {
          velocities[k]! += w * forces[k]!;
          positions[k]! += step * velocities[k]!;
        }
      }
    }
  },
);
