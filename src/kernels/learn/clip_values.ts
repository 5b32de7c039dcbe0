import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real changed",
  limit: "real",
} as const;

/**
 * Numbers, one per atom, that are further from 0 than a limit L come back to it: x = min(L, max(−L, x)). What is not a
 * number stays so. `limit` L: one number, not negative.
 */
export const clipValues: Kernel<typeof args> = defineKernel(
  "clip_values",
  args,
  ({ values, limit }, { systems, offsets, active }) => {
    const most = limit[0]!;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        if (values[a]! > most) values[a] = most;
        else if (values[a]! < -most) values[a] = -most;
      }
    }
  },
);
