import { Control, defineKernel, type Kernel } from "../kernel.ts";

const args = {
  status: "i32",
  stage: "i32 changed",
  steps: "i32 changed",
  stages: "number",
} as const;

/**
 * The end of a step of several stages: `stage` is the one in which a system has done it, and `steps`, a row of `stages`
 * numbers for each system, has one more of that stage. Who is in none of them is at rest from now on, and the run halts
 * after this step. `stage` is of systems at rest, too: whoever was sent on in the step before has come to rest there.
 */
export const countStage: Kernel<typeof args> = defineKernel(
  "count_stage",
  args,
  ({ status, stage, steps, stages }, { systems, active, control }) => {
    for (let s = 0; s < systems; s++) {
      stage[s] = status[s]!;
      if (active[s] === 0) continue;
      if (status[s]! >= 0 && status[s]! < stages) {
        steps[stages * s + status[s]!]! += 1;
        continue;
      }
      active[s] = 0;
      control[Control.HALT] = 1;
    }
  },
  { canHalt: true },
);
