/**
 * Numbers of steps that systems have done in each stage of a fused run.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";

/** Name of the field with the step counts: one row per system, one number per stage. */
export const STAGE_STEPS = "stageSteps";

/**
 * Returns the field `stageSteps` of a batch: one row per system with its number of steps in each of `stages` stages.
 * If the field is missing or has another shape, replaces it by zeros.
 */
export function countStages(batch: Batch, stages: number): Int32Array {
  const known = batch.fields().find(({ name }) => name === STAGE_STEPS);
  const isKnown = known?.level === "system" && known.dtype === "i32" && known.width === stages;
  if (known !== undefined && !isKnown) batch.remove(STAGE_STEPS);
  if (!isKnown) {
    const steps = new Int32Array(stages * batch.size);
    batch.set(STAGE_STEPS, steps, { level: "system", dtype: "i32", width: stages, fill: 0 });
  }
  return batch.get(STAGE_STEPS) as Int32Array;
}
