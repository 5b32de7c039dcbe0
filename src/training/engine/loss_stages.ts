/**
 * The stages at which hooks receive loss, metrics and gradient norm.
 *
 * @module
 */

import { TrainingStage } from "../stages.ts";

/** Stages of a batch at which hooks receive its loss. */
export const LOSS_STAGES: readonly TrainingStage[] = [
  TrainingStage.LOSS,
  TrainingStage.AFTER_LOSS,
  TrainingStage.BEFORE_BACKWARD,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BATCH_END,
];

/** Stages of the update at which hooks receive the loss of the last batch. */
export const UPDATE_STAGES: readonly TrainingStage[] = [
  TrainingStage.GRADIENTS,
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.MAY_UPDATE,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
];

/** Stages of the last batch of a step, including those of the update. */
export const LAST_BATCH_STAGES: readonly TrainingStage[] = [...LOSS_STAGES, ...UPDATE_STAGES];

/** Stages of observers whose context has the loss, the metrics and the norm. */
export const STAGES_WITH_LOSS: ReadonlySet<string> = new Set([
  ...LOSS_STAGES.filter((stage) => stage !== TrainingStage.LOSS),
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
]);
