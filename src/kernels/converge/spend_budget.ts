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
 * Ends the stages of systems that have used up their budget. A system has used it up if its `status` is at least
 * `first` and below `end`, and it has done `budget` steps or more in these stages together. Then `spent` = 1 in this
 * step only, and `status` = `end`. If `stop` is nonzero, the system finishes. If any system is affected, the run
 * halts after this step.
 *
 * `spent` is reset for finished systems, too, because it describes this step only. `steps` has `stages` numbers per
 * system; the numbers of `begun` are subtracted from them.
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
