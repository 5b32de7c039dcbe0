import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
} as const;

/**
 * Sets forces, energies and virials of active systems to zero, before potentials add to them. `energy` has one number
 * per system, `virial` nine.
 */
export const clear: Kernel<typeof args> = defineKernel(
  "clear",
  args,
  ({ forces, energy, virial }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      forces.fill(0, 3 * offsets[s]!, 3 * offsets[s + 1]!);
      virial.fill(0, 9 * s, 9 * s + 9);
      energy[s] = 0;
    }
  },
);
