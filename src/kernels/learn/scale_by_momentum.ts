import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  updates: "real changed",
  trace: "real changed",
  settings: "real",
} as const;

/** Where in its row of `settings` each system has which. */
export const MomentumSetting = {
  /** μ: what is kept of the trace. */
  KEEP: 0,
  /** τ: what is taken of the gradient; 1 − dampening, and 1 in the first step. */
  TAKE: 1,
  /** Not 0: looks ahead, as Nesterov does. */
  NESTEROV: 2,
  /** How many there are. */
  LENGTH: 3,
} as const;

/**
 * Gives gradients momentum as PyTorch's SGD does (Sutskever, Martens, Dahl, Hinton, ICML 2013), one per atom:
 *
 * m = μ m + τ g, u = m, or g + μ m where it looks ahead.
 *
 * `updates`: g, and u afterwards; `trace` m: state, 0 to begin with; `settings`:
 * {@linkcode MomentumSetting}.LENGTH numbers per system.
 */
export const scaleByMomentum: Kernel<typeof args> = defineKernel(
  "scale_by_momentum",
  args,
  ({ updates, trace, settings }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const row = MomentumSetting.LENGTH * s;
      const keep = settings[row + MomentumSetting.KEEP]!;
      const take = settings[row + MomentumSetting.TAKE]!;
      const looksAhead = settings[row + MomentumSetting.NESTEROV] !== 0;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const g = updates[a]!;
        trace[a] = keep * trace[a]! + take * g;
        updates[a] = looksAhead ? g + keep * trace[a]! : trace[a]!;
      }
    }
  },
);
