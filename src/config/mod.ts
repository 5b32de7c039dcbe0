/**
 * Trainers and hooks from configurations, and what makes a run known: its configuration as a hash, its commit, its
 * versions, and a log of all that with the hooks it had and when they changed.
 *
 * @example The same configuration has the same hash, however it is written
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
