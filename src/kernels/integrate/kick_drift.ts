import { defineKernel, type Kernel } from "../kernel.ts";
import { addTo } from "../measure/add_to.ts";

const args = {
  positions: "real changed",
  velocities: "real changed",
  forces: "real",
  weights: "real",
  dt: "real",
  low: "real optional",
} as const;

/**
 * Does the first part of velocity Verlet, half a kick and a drift: v += ½ dt w F; x += dt v.
 *
 * - `weights` w: ACCELERATION / mass per atom.
 * - `dt`: time step in fs, per system.
 * - `low`: accumulated rounding error of x, three numbers per atom, Å.
 *
 * With `low`, the sum of many drifts is as accurate as one with twice the digits (Kahan, Commun. ACM 8, 40, 1965).
 */
export const kickDrift: Kernel<typeof args> = defineKernel(
  "kick_drift",
  args,
  ({ positions, velocities, forces, weights, dt, low }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const [step, half] = [dt[s]!, dt[s]! / 2];
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const w = half * weights[a]!;
        for (let k = 3 * a; k < 3 * a + 3; k++) {
          velocities[k]! += w * forces[k]!;
          addTo(positions, low, k, step * velocities[k]!);
        }
      }
    }
  },
);
