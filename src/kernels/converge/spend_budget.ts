import { Control, defineKernel, type Kernel } from "../kernel.ts";

const args = {
  status: "i32 changed",
  steps: "i32",
  begun: "i32",
  spent: "i32 changed",
  stages: "number",
  first: "number",
  end: "number",
  budget: "number",
  stop: "number",
} as const;

/**
 * What becomes of the systems whose `status` is from `first` on and below `end`, and which have done `budget` steps or
 * more in these stages together: `spent` = 1, for this step only, `status` = `end`, and with `stop` ≠ 0 the system is at
 * rest from now on. If there is any, the run halts after this step.
 *
 * `spent` is of systems at rest, too: it is of this step alone, and they have not spent anything in it.
 *
 * `steps` has `stages` numbers for each system, of which those that `begun` has do not count.
 */
export const spendBudget: Kernel<typeof args> = defineKernel(
  "spend_budget",
  args,
  (
    { status, steps, begun, spent, stages, first, end, budget, stop },
    { systems, active, control },
  ) => {
    for (let s = 0; s < systems; s++) {
      spent[s] = 0;
      if (active[s] === 0 || status[s]! < first || status[s]! >= end) continue;
      let done = 0;
      for (let k = first; k < end; k++) done += steps[stages * s + k]! - begun[stages * s + k]!;
      if (done < budget) continue;
      spent[s] = 1;
      status[s] = end;
      if (stop !== 0) active[s] = 0;
      control[Control.HALT] = 1;
    }
  },
  { canHalt: true },
);
