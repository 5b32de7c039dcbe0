/**
 * Training of any ONNX graph: the trainer, its stages, losses, metrics, optimizers, schedules and data.
 *
 * @module
 */

export type {
  Activation,
  ActivationPatch,
  ActivationStatistics,
  ClipSettings,
  EmaSettings,
  OptimizerSettings,
  OptimizerView,
  ParameterGroup,
  ParameterInfo,
  ParameterValues,
  ScheduleView,
  TrainerControl,
  TrainerSettings,
  TrainerState,
  TrainerStatus,
  TrainingPhase,
  ValidationData,
} from "./context.ts";
export * from "./data/mod.ts";
export * from "./losses/mod.ts";
export * from "./metrics/mod.ts";
export * from "./optimizers/mod.ts";
export * from "./schedules/mod.ts";
export type {
  BatchContext,
  BatchEndContext,
  CheckpointContext,
  ComputedLoss,
  ComputeLossContext,
  EndContext,
  ExceptionContext,
  GradientContext,
  LossContext,
  MetricsContext,
  NamedNumbers,
  NormContext,
  OptimizerContext,
  StepContext,
  TrainerFields,
  TrainingAliases,
  TrainingBase,
  TrainingContext,
  TrainingFields,
  TrainingStages,
  UpdateContext,
} from "./stages.ts";
export { TrainingStage } from "./stages.ts";
export type { SavedTrainer } from "./checkpoint.ts";
export type { StepResult } from "./trainer.ts";
export { Trainer } from "./trainer.ts";
export type {
  TrainerOptions,
  TrainerParts,
  TrainingData,
  TrainingHooks,
  TrainingKind,
  ValidationTimes,
} from "./trainer_options.ts";
