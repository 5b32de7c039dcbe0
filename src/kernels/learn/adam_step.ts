import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  parameters: "real changed",
  gradients: "real",
  first: "real changed",
  second: "real changed",
  settings: "real",
} as const;

/** Indices in a row of `settings`. There is one row per system; t is the current step, counted from 1. */
export const AdamStepSetting = {
  /** β₁: decay rate of the first moment. */
  KEEP_FIRST: 0,
  /** 1 − β₁. */
  TAKE_FIRST: 1,
  /** β₂: decay rate of the second moment. */
  KEEP_SECOND: 2,
  /** 1 − β₂. */
  TAKE_SECOND: 3,
  /** Step size lr/(1 − β₁ᵗ), with the learning rate lr. */
  STEP_SIZE: 4,
  /** Bias correction 1/√(1 − β₂ᵗ) of the second moment. */
  CORRECT_SECOND: 5,
  /** ε: avoids division by zero. */
  EPS: 6,
  /** 1 − lr λ if the weight decay λ is decoupled from the gradients, else 1. */
  KEEP: 7,
  /** λ if the weight decay is part of the gradients, else 0. */
  L2: 8,
  /** Length of a row. */
  LENGTH: 9,
} as const;

/**
 * Does a step of Adam (Kingma, Ba, arXiv:1412.6980, 2014) or AdamW (Loshchilov, Hutter, arXiv:1711.05101, 2017) for
 * one parameter per atom: g′ = g + l₂ p, m = β₁ m + (1 − β₁) g′, v = β₂ v + (1 − β₂) g′², p = keep p − (lr/c₁)
 * m/(√v/√c₂ + ε), with cᵢ = 1 − βᵢᵗ. The result equals that of `scale_by_adam` followed by `mix`, but memory is
 * traversed only once.
 *
 * - `parameters` p, `gradients` g: one number per atom.
 * - `first` m and `second` v: state, initially 0.
 * - `settings`: {@linkcode AdamStepSetting}.LENGTH numbers per system, for this step.
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

/** Updates the parameters of system s with indices from `from` up to but not including `to`. */
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
