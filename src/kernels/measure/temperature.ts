import { BOLTZMANN } from "../constants.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  kinetic: "f64",
  freedom: "i32",
  resting: "i32 optional",
  stage: "i32 optional",
  keeps: "i32 optional",
  temperature: "f64 changed",
} as const;

/**
 * Computes the temperature of each system: T = 2 K / (f k_B), K. Without degrees of freedom, it is 0.
 *
 * - `kinetic` K: result of the kernel `kinetic_energy`, eV.
 * - `freedom` f: number of degrees of freedom, per system.
 *
 * In a run with several stages, f is `resting` if the entry of `keeps` for the `stage` of the system is nonzero. For
 * systems beyond the last stage, the entry of the last stage applies. Finished systems are measured, too, because
 * hooks may read them.
 */
export const temperature: Kernel<typeof args> = defineKernel(
  "temperature",
  args,
  ({ kinetic, freedom, resting, stage, keeps, temperature }, { systems }) => {
    for (let s = 0; s < systems; s++) {
      const at = keeps === undefined ? 0 : Math.min(stage![s]!, keeps.length - 1);
      const degrees = keeps !== undefined && keeps[at] !== 0 ? resting![s]! : freedom[s]!;
      temperature[s] = degrees > 0 ? 2 * kinetic[s]! / (degrees * BOLTZMANN) : 0;
    }
  },
);
