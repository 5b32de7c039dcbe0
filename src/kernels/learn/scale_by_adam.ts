import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  updates: "real changed",
  first: "real changed",
  second: "real changed",
  settings: "real",
} as const;

/** Indices in a row of `settings`. There is one row per system; t is the current step, counted from 1. */
export const AdamSetting = {
  /** β₁: decay rate of the first moment. */
  KEEP_FIRST: 0,
  /** 1 − β₁. */
  TAKE_FIRST: 1,
  /** β₂: decay rate of the second moment. */
  KEEP_SECOND: 2,
  /** 1 − β₂. */
  TAKE_SECOND: 3,
  /** Bias correction 1/(1 − β₁ᵗ) of the first moment. */
  CORRECT_FIRST: 4,
  /** Bias correction 1/√(1 − β₂ᵗ) of the second moment. */
  CORRECT_SECOND: 5,
  /** ε: avoids division by zero. */
  EPS: 6,
  /** Length of a row. */
  LENGTH: 7,
} as const;

/**
 * Scales gradients, one per atom, as Adam does (Kingma, Ba, arXiv:1412.6980, 2014): m = β₁ m + (1 − β₁) g, v = β₂ v +
 * (1 − β₂) g², u = (m/c₁)/(√v/√c₂ + ε), with cᵢ = 1 − βᵢᵗ.
 *
 * - `updates`: g, which the kernel replaces by u.
 * - `first` m and `second` v: state, initially 0.
 * - `settings`: {@linkcode AdamSetting}.LENGTH numbers per system, for this step.
 */
export const scaleByAdam: Kernel<typeof args> = defineKernel(
  "scale_by_adam",
  args,
  ({ updates, first, second, settings }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const row = AdamSetting.LENGTH * s;
      const [keep1, take1] = [
        settings[row + AdamSetting.KEEP_FIRST]!,
        settings[row + AdamSetting.TAKE_FIRST]!,
      ];
      const [keep2, take2] = [
        settings[row + AdamSetting.KEEP_SECOND]!,
        settings[row + AdamSetting.TAKE_SECOND]!,
      ];
      const correct1 = settings[row + AdamSetting.CORRECT_FIRST]!;
      const correct2 = settings[row + AdamSetting.CORRECT_SECOND]!;
      const eps = settings[row + AdamSetting.EPS]!;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const g = updates[a]!;
        first[a] = keep1 * first[a]! + take1 * g;
        second[a] = keep2 * second[a]! + take2 * g * g;
        updates[a] = first[a]! * correct1 / (Math.sqrt(second[a]!) * correct2 + eps);
      }
    }
  },
);
