/**
 * What hooks know of training: its stages, and what they find there. Nothing here needs a package, so the main entry
 * point has it; trainers read ONNX files, and are in `@hooke/hooke/training`.
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
export type { TrainingBatch, TrainingFeeds } from "./data/data_source.ts";
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
