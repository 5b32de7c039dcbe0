import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  energy: "f64",
  kinetic: "f64",
  bathEnergy: "f64",
  conserved: "f64 changed",
} as const;

/**
 * What a scheme conserves: `conserved` = `energy` + `kinetic` + `bathEnergy`, all eV per system. Systems at rest are
 * measured, too: they may be looked at.
 */
export const conservedEnergy: Kernel<typeof args> = defineKernel(
  "conserved_energy",
  args,
  ({ energy, kinetic, bathEnergy, conserved }, { systems }) => {
    for (let s = 0; s < systems; s++) conserved[s] = energy[s]! + kinetic[s]! + bathEnergy[s]!;
  },
);
