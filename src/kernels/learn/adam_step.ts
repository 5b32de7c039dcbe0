import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  parameters: "real changed",
  gradients: "real",
  first: "real changed",
  second: "real changed",
  settings: "real",
} as const;

/** Where in its row of `settings` each system has which; t is the step under way, the first being 1. */
export const AdamStepSetting = {
  /** β₁: what is kept of the first moment. */
  KEEP_FIRST: 0,
  /** 1 − β₁. */
  TAKE_FIRST: 1,
  /** β₂: what is kept of the second moment. */
  KEEP_SECOND: 2,
  /** 1 − β₂. */
  TAKE_SECOND: 3,
  /** lr/(1 − β₁ᵗ). */
  STEP_SIZE: 4,
  /** 1/√(1 − β₂ᵗ). */
  CORRECT_SECOND: 5,
  /** ε: what keeps a root of 0 from being divided by. */
  EPS: 6,
  /** 1 − lr λ, where the decay λ is apart from the gradients; else 1. */
  KEEP: 7,
  /** λ, where the decay is part of the gradients; else 0. */
  L2: 8,
  /** How many there are. */
  LENGTH: 9,
} as const;

/**
 * A whole step of Adam (Kingma, Ba, arXiv:1412.6980, 2014), or of AdamW (Loshchilov, Hutter, arXiv:1711.05101, 2017),
 * one parameter per atom:
 *
 * g′ = g + l₂ p, m = β₁ m + (1 − β₁) g′, v = β₂ v + (1 − β₂) g′², p = keep p − (lr/c₁) m/(√v/√c₂ + ε), with cᵢ = 1 − βᵢᵗ.
 *
 * It is `scale_by_adam`, then `mix`, in one pass over memory. `parameters` p, `gradients` g; `first` m, `second` v:
 * state, 0 to begin with; `settings`: {@linkcode AdamStepSetting}.LENGTH numbers per system, of this step.
 */
export const adamStep: Kernel<typeof args> = defineKernel(
  "adam_step",
  args,
  (values, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] !== 0) stepOne(s, offsets[s]!, offsets[s + 1]!, values);
    }
  },
);

/** The numbers from `from` to `to`, of system s. */
function stepOne(s: number, from: number, to: number, values: Given): void {
  const { parameters, gradients, first, second } = values;
  const at = AdamStepSetting.LENGTH * s;
  const row = values.settings.subarray(at, at + AdamStepSetting.LENGTH);
  const [keep1, take1] = [row[AdamStepSetting.KEEP_FIRST]!, row[AdamStepSetting.TAKE_FIRST]!];
  const [keep2, take2] = [row[AdamStepSetting.KEEP_SECOND]!, row[AdamStepSetting.TAKE_SECOND]!];
  const [step, correct] = [row[AdamStepSetting.STEP_SIZE]!, row[AdamStepSetting.CORRECT_SECOND]!];
  const eps = row[AdamStepSetting.EPS]!;
  const [keep, l2] = [row[AdamStepSetting.KEEP]!, row[AdamStepSetting.L2]!];
  for (let a = from; a < to; a++) {
    const p = parameters[a]!;
    const g = gradients[a]! + l2 * p;
    first[a] = keep1 * first[a]! + take1 * g;
    second[a] = keep2 * second[a]! + take2 * g * g;
    parameters[a] = keep * p - step * first[a]! / (Math.sqrt(second[a]!) * correct + eps);
  }
}

type Given = Parameters<typeof adamStep.run>[0];
