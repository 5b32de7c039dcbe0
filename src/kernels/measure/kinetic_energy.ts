import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  velocities: "real",
  weights: "real",
  kinetic: "f64 changed",
} as const;

/**
 * Computes the kinetic energy of each system: K = ½ Σ v²/w, eV. `weights` w is ACCELERATION / mass per atom. An atom
 * of weight 0 cannot move and has no kinetic energy. Finished systems are measured, too, because hooks may read them.
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

type Reals = Float32Array | Float64Array;

/**
 * Returns Σ v²/w over a range of atoms, which is twice their kinetic energy, eV. An atom of weight 0 cannot move and
 * has no kinetic energy.
 */
export function twiceKinetic(velocities: Reals, weights: Reals, from: number, to: number): number {
  let twice = 0;
  for (let a = from; a < to; a++) {
    if (weights[a] === 0) continue;
    const [x, y, z] = [velocities[3 * a]!, velocities[3 * a + 1]!, velocities[3 * a + 2]!];
    twice += (x * x + y * y + z * z) / weights[a]!;
  }
  return twice;
}
