import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real changed",
  limit: "real",
} as const;

/**
 * Limits numbers, one per atom, to the range from −L to L: x = min(L, max(−L, x)). NaN stays NaN. `limit` L is one
 * number, at least 0.
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
