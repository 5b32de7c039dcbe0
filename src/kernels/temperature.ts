import { BOLTZMANN } from "./constants.ts";
import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  kinetic: "f64",
  freedom: "i32",
  temperature: "f64 changed",
} as const;

/**
 * The temperature of each system: T = 2 K / (f k_B), K. `kinetic` K: what the kernel `kinetic_energy` found, eV;
 * `freedom` f: degrees of freedom, per system; without any, T = 0.
 */
export const temperature: Kernel<typeof args> = defineKernel(
  "temperature",
  args,
  ({ kinetic, freedom, temperature }, { systems }) => {
    for (let s = 0; s < systems; s++) {
      temperature[s] = freedom[s]! > 0 ? 2 * kinetic[s]! / (freedom[s]! * BOLTZMANN) : 0;
    }
  },
);
