import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  target: "real changed",
  source: "real",
  keep: "real",
  take: "real",
} as const;

/**
 * Mixes numbers into others, one per atom: x = keep x + take y. `target` x, `source` y; `keep`, `take`: one per system.
 * What is multiplied by 0 is not looked at: a copy, with keep 0, is one whatever was there before, NaN too.
 *
 * A parameter takes a step of −lr u with keep 1 and take −lr; a moving average of it, with keep d and take 1 − d.
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
