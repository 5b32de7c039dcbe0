import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  target: "real changed",
  source: "real",
  keep: "real",
  take: "real",
} as const;

/**
 * Mixes numbers into others, one per atom: x = keep x + take y. `target` x, `source` y; `keep`, `take`: one per system.
 *
 * A parameter takes a step of −lr u with keep 1 and take −lr; a moving average of it, with keep d and take 1 − d.
 */
export const mix: Kernel<typeof args> = defineKernel(
  "mix",
  args,
  ({ target, source, keep, take }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        target[a] = keep[s]! * target[a]! + take[s]! * source[a]!;
      }
    }
  },
);
