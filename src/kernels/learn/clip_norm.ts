import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real changed",
  squares: "f64",
  limit: "real",
} as const;

/** Added to the norm, to avoid division by zero. */
export const TINY_NORM = 1e-6;

/**
 * Scales the numbers of all systems, one per atom, as PyTorch's `clip_grad_norm_` does: x = x min(1, L/(N +
 * {@linkcode TINY_NORM})). N is the norm of the numbers of all systems together. If N is not finite, the numbers do
 * not change.
 *
 * - `squares`: Σ x² of each system, as `sum_squares` computes it; N² is their sum.
 * - `limit` L: one number.
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
