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

export { canonicalJson } from "./canonical_json.ts";
export { configHash } from "./config_hash.ts";
export type {
  CheckpointingOptions,
  ConfiguredTrainer,
  ConsoleLoggingOptions,
  JsonLoggingOptions,
  TrainerConveniences,
} from "./configured_trainer.ts";
export type { CreatedHook, CreateHooksOptions } from "./create_hooks.ts";
export { createHooks } from "./create_hooks.ts";
export type { OtherTrainerOptions, TrainerRegistryOption } from "./get_trainer.ts";
export { getTrainer, registerTrainer } from "./get_trainer.ts";
export type { GitCommitOptions } from "./git_commit.ts";
export { gitCommit } from "./git_commit.ts";
export type { HookFactory, RegisteredHook } from "./hook_registry.ts";
export { HookRegistry } from "./hook_registry.ts";
export type { HookList, HookSchema } from "./hook_schema.ts";
export type {
  HookEntry,
  HookLists,
  HookOptionsConfig,
  HooksConfig,
  HooksConfigMembers,
} from "./hooks_config.ts";
export { hooksSchema, hooksSchemaOf } from "./hooks_schema.ts";
export { IdentityUpdate } from "./identity_update.ts";
export type { JsonSchema, JsonType } from "./json_schema.ts";
export type { SnakeCase, SnakeCased } from "./letter_case.ts";
export type { WriteLine } from "./line_writer.ts";
export type { RunLog } from "./run_log.ts";
export { runLog } from "./run_log.ts";
export type { RunLogOptions } from "./run_log_options.ts";
export type { RunLogState } from "./run_log_state.ts";
export type {
  LoggedError,
  LoggedOutcome,
  RunChange,
  RunEnd,
  RunMoment,
  RunRecord,
  RunStart,
} from "./run_record.ts";
export type { AnyTrainerOptions, TrainerFactory } from "./trainer_registry.ts";
export { TrainerRegistry, trainers } from "./trainer_registry.ts";
export type { Versions } from "./versions.ts";
export { versions } from "./versions.ts";
