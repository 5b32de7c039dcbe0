import { defineKernel, type Kernel } from "../kernel.ts";
import { twiceKinetic } from "./twice_kinetic.ts";

const args = {
  velocities: "real",
  weights: "real",
  kinetic: "f64 changed",
} as const;

/**
 * The kinetic energy of each system: K = ½ Σ v²/w, eV. `weights` w: ACCELERATION / mass per atom; an atom of weight
 * 0 cannot be moved and has none. Systems at rest are measured, too: they may be looked at.
 */
export const kineticEnergy: Kernel<typeof args> = defineKernel(
  "kinetic_energy",
  args,
  ({ velocities, weights, kinetic }, { systems, offsets }) => {
    for (let s = 0; s < systems; s++) {
      kinetic[s] = twiceKinetic(velocities, weights, offsets[s]!, offsets[s + 1]!) / 2;
    }
  },
);
