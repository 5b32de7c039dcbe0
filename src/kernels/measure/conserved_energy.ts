import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  energy: "f64",
  kinetic: "f64",
  bathEnergy: "f64",
  conserved: "f64 changed",
} as const;

/**
 * Computes the quantity that an integrator conserves: `conserved` = `energy` + `kinetic` + `bathEnergy`. All of them
 * are in eV, one number per system. Finished systems are measured, too, because hooks may read them.
 */
export const conservedEnergy: Kernel<typeof args> = defineKernel(
  "conserved_energy",
  args,
  ({ energy, kinetic, bathEnergy, conserved }, { systems }) => {
    for (let s = 0; s < systems; s++) conserved[s] = energy[s]! + kinetic[s]! + bathEnergy[s]!;
  },
);
