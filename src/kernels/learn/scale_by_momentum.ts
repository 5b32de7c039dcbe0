import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  updates: "real changed",
  trace: "real changed",
  settings: "real",
} as const;

/** Indices in a row of `settings`. There is one row per system. */
export const MomentumSetting = {
  /** μ: decay rate of the trace. */
  KEEP: 0,
  /** τ: weight of the gradient; 1 in the first step, then 1 − dampening. */
  TAKE: 1,
  /** Nonzero for Nesterov momentum. */
  NESTEROV: 2,
  /** Length of a row. */
  LENGTH: 3,
} as const;

/**
 * Applies momentum to gradients, one per atom, as PyTorch's SGD does (Sutskever, Martens, Dahl, Hinton, ICML 2013): m
 * = μ m + τ g, u = m, or u = g + μ m with Nesterov momentum.
 *
 * - `updates`: g, which the kernel replaces by u.
 * - `trace` m: state, initially 0.
 * - `settings`: {@linkcode MomentumSetting}.LENGTH numbers per system.
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
