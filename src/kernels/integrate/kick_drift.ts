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
 * Half a kick and a drift, the first part of velocity Verlet: v += ½ dt w F; x += dt v.
 *
 * `weights` w: ACCELERATION / mass per atom; `dt`: fs per system; `low`: what rounding took off x so far, Å, three per
 * atom, with which the sum of many drifts is as good as one of twice the digits (Kahan, Commun. ACM 8, 40, 1965).
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
