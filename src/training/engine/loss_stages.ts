/**
 * At which stages what a batch has come to is asked for.
 *
 * @module
 */

import { TrainingStage } from "../stages.ts";

/** Stages at which the loss of a batch must be known, if anybody is there. */
export const LOSS_STAGES: readonly TrainingStage[] = [
  TrainingStage.LOSS,
  TrainingStage.AFTER_LOSS,
  TrainingStage.BEFORE_BACKWARD,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BATCH_END,
];

/** The same for the last batch of a step. */
export const UPDATE_STAGES: readonly TrainingStage[] = [
  TrainingStage.GRADIENTS,
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.MAY_UPDATE,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
];

/** Both. */
export const LAST_BATCH_STAGES: readonly TrainingStage[] = [...LOSS_STAGES, ...UPDATE_STAGES];

/** Observe stages at which hooks are told of loss, metrics and norm. */
export const STAGES_WITH_LOSS: ReadonlySet<string> = new Set([
  ...LOSS_STAGES.filter((stage) => stage !== TrainingStage.LOSS),
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
]);
