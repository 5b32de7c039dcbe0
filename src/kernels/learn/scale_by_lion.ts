import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  updates: "real changed",
  trace: "real changed",
  settings: "real",
} as const;

/** Indices in a row of `settings`. There is one row per system. */
export const LionSetting = {
  /** β₁: weight of the trace in the update. */
  KEEP_UPDATE: 0,
  /** 1 − β₁. */
  TAKE_UPDATE: 1,
  /** β₂: decay rate of the trace. */
  KEEP_TRACE: 2,
  /** 1 − β₂. */
  TAKE_TRACE: 3,
  /** Length of a row. */
  LENGTH: 4,
} as const;

/**
 * Computes the sign updates of Lion (Chen et al., arXiv:2302.06675, 2023), one per atom: u = sign(β₁ m + (1 − β₁) g),
 * m = β₂ m + (1 − β₂) g. The sign of 0 is 0, and the sign of NaN is NaN.
 *
 * - `updates`: g, which the kernel replaces by u.
 * - `trace` m: state, initially 0.
 * - `settings`: {@linkcode LionSetting}.LENGTH numbers per system.
 */
export const scaleByLion: Kernel<typeof args> = defineKernel(
  "scale_by_lion",
  args,
  ({ updates, trace, settings }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const row = LionSetting.LENGTH * s;
      const keep1 = settings[row + LionSetting.KEEP_UPDATE]!;
      const take1 = settings[row + LionSetting.TAKE_UPDATE]!;
      const keep2 = settings[row + LionSetting.KEEP_TRACE]!;
      const take2 = settings[row + LionSetting.TAKE_TRACE]!;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const [g, m] = [updates[a]!, trace[a]!];
        updates[a] = Math.sign(keep1 * m + take1 * g);
        trace[a] = keep2 * m + take2 * g;
      }
    }
  },
);
