import { signedVolume } from "../cells/inverse.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  virial: "f64",
  cell: "real",
  stress: "f64 changed",
} as const;

/**
 * The stress of each system: σ = −W/V, eV/Å³, tension positive, nine numbers. `virial` W = −dE/dε, eV; V: the volume
 * of the cell, of either hand. Without a volume there is no stress: zeros. Systems at rest are measured, too: they may
 * be looked at.
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
