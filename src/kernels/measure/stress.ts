import { signedVolume } from "../cells/inverse.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  virial: "f64",
  cell: "real",
  stress: "f64 changed",
} as const;

/**
 * Computes the stress of each system, σ = −W/V: nine numbers in eV/Å³, positive in tension.
 *
 * - `virial` W = −dE/dε: nine numbers per system, eV.
 * - `cell`: nine numbers per system; V is its volume, positive for left-handed cells, too.
 *
 * The stress of a system without a volume is zero. Finished systems are measured, too, because hooks may read them.
 */
export const stress: Kernel<typeof args> = defineKernel(
  "stress",
  args,
  ({ virial, cell, stress }, { systems }) => {
    for (let s = 0; s < systems; s++) {
      const volume = Math.abs(signedVolume(cell, 9 * s));
      for (let k = 9 * s; k < 9 * s + 9; k++) stress[k] = volume === 0 ? 0 : -virial[k]! / volume;
    }
  },
);
