/**
 * The stages at which hooks get loss, metrics and gradient norm.
 *
 * @module
 */

import { TrainingStage } from "../stages.ts";

/** Stages of a batch at which hooks need its loss. */
export const LOSS_STAGES: readonly TrainingStage[] = [
  TrainingStage.LOSS,
  TrainingStage.AFTER_LOSS,
  TrainingStage.BEFORE_BACKWARD,
  TrainingStage.AFTER_BACKWARD,
  TrainingStage.BATCH_END,
];

/** Stages of the update at which hooks need the loss of the last batch. */
export const UPDATE_STAGES: readonly TrainingStage[] = [
  TrainingStage.GRADIENTS,
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.MAY_UPDATE,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
];

/** Stages of the last batch of a step, the update included. */
export const LAST_BATCH_STAGES: readonly TrainingStage[] = [...LOSS_STAGES, ...UPDATE_STAGES];

/** Observe stages whose context has loss, metrics and norm. */
export const STAGES_WITH_LOSS: ReadonlySet<string> = new Set([
  ...LOSS_STAGES.filter((stage) => stage !== TrainingStage.LOSS),
  TrainingStage.GRADIENT_CLIP,
  TrainingStage.BEFORE_OPTIMIZER_STEP,
  TrainingStage.AFTER_OPTIMIZER_STEP,
  TrainingStage.STEP_END,
]);
