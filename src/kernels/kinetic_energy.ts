import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  velocities: "real",
  weights: "real",
  kinetic: "f64 changed",
} as const;

/**
 * The kinetic energy of each system: K = ½ Σ v²/w, eV. `weights` w: ACCELERATION / mass per atom; an atom of weight
 * 0 cannot be moved and has none.
 */
export const kineticEnergy: Kernel<typeof args> = defineKernel(
  "kinetic_energy",
  args,
  ({ velocities, weights, kinetic }, { systems, offsets }) => {
    for (let s = 0; s < systems; s++) {
      let twice = 0;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        if (weights[a] === 0) continue;
        const [x, y, z] = [velocities[3 * a]!, velocities[3 * a + 1]!, velocities[3 * a + 2]!];
        twice += (x * x + y * y + z * z) / weights[a]!;
      }
      kinetic[s] = twice / 2;
    }
  },
);
