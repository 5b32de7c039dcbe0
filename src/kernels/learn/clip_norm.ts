import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real changed",
  squares: "f64",
  limit: "real",
} as const;

/** What keeps a norm of 0 from being divided by. */
export const TINY_NORM = 1e-6;

/**
 * Numbers of all systems together, one per atom, whose norm N is larger than a limit L become of about that norm, as by
 * PyTorch's `clip_grad_norm_`: x = x min(1, L/(N + {@linkcode TINY_NORM})). Where N is not finite they stay as they are.
 *
 * `squares`: Σ x² of each system, as `sum_squares` gives it: N² is their sum; `limit` L: one number.
 */
export const clipNorm: Kernel<typeof args> = defineKernel(
  "clip_norm",
  args,
  ({ values, squares, limit }, { systems, offsets, active }) => {
    let sum = 0;
    for (let s = 0; s < systems; s++) sum += squares[s]!;
    const norm = Math.sqrt(sum);
    const scale = limit[0]! / (norm + TINY_NORM);
    if (!(norm < Infinity && scale < 1)) return;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) values[a]! *= scale;
    }
  },
  { needsWhole: true },
);
