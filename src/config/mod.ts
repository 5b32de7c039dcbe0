/**
 * Trainers and hooks from configurations, and records that make a run reproducible: the hash of its configuration,
 * its commit, its versions, and a run log with its hooks and their changes.
 *
 * @example Equal configurations have the same hash
 * ```ts
 * import { configHash } from "@hooke/hooke/config";
 * import { assertEquals } from "@std/assert";
 *
 * const [a, b] = [{ dt: 0.5, steps: 1000 }, { steps: 1e3, dt: 5e-1 }];
 * assertEquals(await configHash(a), await configHash(b));
 * ```
 *
 * @module
 */

export * from "./hooks/hooks_and_logs.ts";
export type {
  CheckpointingOptions,
  ConfiguredTrainer,
  ConsoleLoggingOptions,
  JsonLoggingOptions,
  TrainerConveniences,
} from "./trainer/configured_trainer.ts";
export type {
  HooksConfigOption,
  OtherTrainerOptions,
  TrainerRegistryOption,
} from "./trainer/get_trainer.ts";
export { getTrainer, registerTrainer } from "./trainer/get_trainer.ts";
export type { AnyTrainerOptions, TrainerFactory } from "./trainer/trainer_registry.ts";
export { TrainerRegistry, trainers } from "./trainer/trainer_registry.ts";
