import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  energy: "f64",
  previous: "f64 changed",
  change: "f64 changed",
} as const;

/**
 * Computes the change of the energy of each system since the kernel last ran: ΔE = E − E′, then E′ = E, where E′ is
 * `previous`. In the first run, when `previous` is NaN, ΔE = ∞, so that no criterion is met.
 */
export const energyChange: Kernel<typeof args> = defineKernel(
  "energy_change",
  args,
  ({ energy, previous, change }, { systems, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      change[s] = Number.isNaN(previous[s]!) ? Infinity : energy[s]! - previous[s]!;
      previous[s] = energy[s]!;
    }
  },
);
