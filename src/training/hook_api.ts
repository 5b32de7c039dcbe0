/**
 * The stages of training and the types of their contexts. Nothing here needs a package, so the main entry point exports
 * it. Trainers read ONNX files and are exported from `@hooke/hooke/training`.
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
  RunInfo,
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
  BeginContext,
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
  TrainingStageMap,
  UpdateContext,
} from "./stages.ts";
export { TrainingStage } from "./stages.ts";
