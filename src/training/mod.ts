/**
 * Training of any ONNX graph: the trainer, its stages, losses, metrics, optimizers, schedules and data.
 *
 * @module
 */

export * from "./hook_api.ts";
export * from "./data/mod.ts";
export * from "./losses/mod.ts";
export * from "./metrics/mod.ts";
export * from "./optimizers/mod.ts";
export { GroupLostError } from "./group/group_lost_error.ts";
export type { GroupTls, TrainingGroupOptions } from "./group/group_options.ts";
export type { MachineAddress, Rendezvous } from "./group/rendezvous.ts";
export { openTrainingGroup } from "./group/training_group.ts";
export type { GroupTraffic, TrainingGroup } from "./group/training_group.ts";
export type { Addends, ShardGroup } from "./parallel/shard_group.ts";
export type { PotentialOptions, TrainablePotential } from "./potential/potential.ts";
export { openPotential } from "./potential/potential.ts";
export * from "./schedules/mod.ts";
export * from "./tuning/mod.ts";
export type { SavedGroup, SavedOptimizer, SavedTrainer } from "./state/checkpoint.ts";
export type { Patterns } from "./graph/parameters.ts";
export type { SavedProgress } from "./engine/progress.ts";
export { TrainerCore, TrainerCore as Trainer } from "./trainer.ts";
export type {
  StepResult,
  TrainerOptions,
  TrainerParts,
  TrainingData,
  TrainingHooks,
  TrainingHooksOf,
  TrainingKind,
  ValidationTimes,
} from "./trainer_options.ts";
