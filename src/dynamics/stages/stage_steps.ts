/**
 * The number of steps that systems have done in each stage of a run.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";

/** Name of the field with the counts: a row for each system, one number for each stage. */
export const STAGE_STEPS = "stageSteps";

/** Makes a batch count the steps of `stages` stages: from 0, unless it counts them already. */
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
