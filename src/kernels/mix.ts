import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  target: "real changed",
  source: "real",
  keep: "real",
  take: "real",
} as const;

/**
 * Mixes two arrays with one number per atom: x = keep x + take y.
 *
 * - `target` x, `source` y: one number per atom.
 * - `keep`, `take`: one number per system.
 *
 * A term with a factor of 0 is skipped, so that `keep` = 0 makes a copy even if x was NaN. For a step of −lr u, use
 * `keep` = 1 and `take` = −lr; for a moving average with decay d, use `keep` = d and `take` = 1 − d.
 */
export const mix: Kernel<typeof args> = defineKernel(
  "mix",
  args,
  ({ target, source, keep, take }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const k = keep[s]!, t = take[s]!;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        target[a] = (k === 0 ? 0 : k * target[a]!) + (t === 0 ? 0 : t * source[a]!);
      }
    }
  },
);
