/**
 * At which stages what a batch has come to is asked for.
 *
 * @module
 */

import { TrainingStage } from "./stages.ts";

/** Stages at which the loss of a batch must be known, if anybody is there. */
export const OF_LOSS: readonly TrainingStage[] = [
  TrainingStage.LOSS,
  TrainingStage.AFTER_LOSS,
  TrainingStage.BEFORE_BACKWARD,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BATCH_END,
];

/** The same for the last batch of a step. */
export const OF_STEP: readonly TrainingStage[] = [
  TrainingStage.GRADIENTS,
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.MAY_UPDATE,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
];

/** Both. */
export const OF_LAST: readonly TrainingStage[] = [...OF_LOSS, ...OF_STEP];

/** Observe stages at which hooks are told of loss, metrics and norm. */
export const KNOWING: ReadonlySet<string> = new Set([
  ...OF_LOSS.filter((stage) => stage !== TrainingStage.LOSS),
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
]);
