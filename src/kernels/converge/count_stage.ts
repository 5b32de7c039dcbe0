import { Control, defineKernel, type Kernel } from "../kernel.ts";

const args = {
  status: "i32",
  stage: "i32 changed",
  steps: "i32 changed",
  stages: "number",
} as const;

/**
 * Ends a step of a run with several stages. `stage` becomes the stage in which each system did the step, and the
 * kernel adds 1 to the number of steps of that stage in `steps`, which has `stages` numbers per system. A system that
 * has passed the last stage finishes, and the run halts after this step.
 *
 * `stage` is updated for finished systems, too, because a system may have finished in the previous step when it left
 * its stage.
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
