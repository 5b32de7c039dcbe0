import { defineKernel, type Kernel } from "../kernel.ts";
import { addTo } from "../measure/add_to.ts";

const args = {
  positions: "real changed",
  velocities: "real",
  dt: "real",
  fraction: "number",
  low: "real optional",
} as const;

/**
 * Moves atoms along their velocities: x += φ dt v.
 *
 * - `dt`: time step in fs, per system.
 * - `fraction` φ: part of the time step.
 * - `low`: as in `kick_drift`.
 */
export const drift: Kernel<typeof args> = defineKernel(
  "drift",
  args,
  ({ positions, velocities, dt, fraction, low }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const step = fraction * dt[s]!;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k++) {
        addTo(positions, low, k, step * velocities[k]!);
      }
    }
  },
);
