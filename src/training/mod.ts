/**
 * The stages of training.
 *
 * @module
 */

export type {
  CheckpointContext,
  ExceptionContext,
  GradientContext,
  LossContext,
  MetricsContext,
  TrainingAliases,
  TrainingBase,
  TrainingContext,
  TrainingFields,
  TrainingStages,
} from "./stages.ts";
export { TrainingStage } from "./stages.ts";
