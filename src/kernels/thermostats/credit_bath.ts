import { defineKernel, type Kernel } from "../kernel.ts";
import { twiceKinetic } from "../measure/kinetic_energy.ts";

const args = {
  velocities: "real",
  before: "real",
  weights: "real",
  bathEnergy: "f64 changed",
} as const;

/**
 * Adds the kinetic energy that constraints have removed from velocities to the energy of the bath: E_b += ½ Σ (b² −
 * v²)/w.
 *
 * - `velocities` v: after the constraints.
 * - `before` b: velocities before the constraints.
 * - `weights` w: ACCELERATION / mass per atom.
 * - `bathEnergy` E_b: eV per system.
 */
export const creditBath: Kernel<typeof args> = defineKernel(
  "credit_bath",
  args,
  ({ velocities, before, weights, bathEnergy }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const [from, to] = [offsets[s]!, offsets[s + 1]!];
      const taken = twiceKinetic(before, weights, from, to) -
        twiceKinetic(velocities, weights, from, to);
      bathEnergy[s]! += taken / 2;
    }
  },
);
