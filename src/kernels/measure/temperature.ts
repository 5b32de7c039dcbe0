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
 * The temperature of each system: T = 2 K / (f k_B), K. `kinetic` K: what the kernel `kinetic_energy` found, eV;
 * `freedom` f: degrees of freedom, per system; without any, T = 0.
 *
 * In a run of stages f is `resting` instead where `keeps`, one number for each stage, is not 0 at the `stage` of a
 * system, or at the last one, where that is beyond it. Systems at rest are measured, too: they may be looked at.
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
