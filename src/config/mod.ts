/**
 * Trainers and hooks from configurations, and the hash of a configuration. Run folders and logs of runs are in
 * `@hooke/hooke/runs`.
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

export { canonicalJson } from "../base/canonical_json.ts";
export { configHash } from "../base/config_hash.ts";
export type { CreatedHook, CreateHooksOptions } from "./hooks/create_hooks.ts";
export { createHooks } from "./hooks/create_hooks.ts";
export type { HookDefinition, HookFactory, RegisteredHook } from "./hooks/hook_registry.ts";
export { HookRegistry } from "./hooks/hook_registry.ts";
export type { HookList, HookSchema } from "./hooks/hook_schema.ts";
export type {
  ConfigOptions,
  GradientMonitorConfig,
  HookEntry,
  HookOptionsConfig,
  HooksConfig,
  HooksConfigLists,
  HooksConfigMembers,
} from "./hooks/hooks_config.ts";
export type { ReadConfig, WantedHook } from "./hooks/read_config.ts";
export { hooksSchema, registrySchema } from "./hooks/hooks_schema.ts";
export type { JsonSchema, JsonType } from "./json_schema.ts";
export type { SnakeCase, SnakeCased } from "./letter_case.ts";
export type {
  CheckpointingOptions,
  ConsoleLoggingOptions,
  HooksConfigOption,
  JsonLoggingOptions,
} from "./trainer/trainer_hooks.ts";
export type { OtherTrainerOptions, TrainerRegistryOption } from "./trainer/get_trainer.ts";
export { getTrainer, registerTrainer } from "./trainer/get_trainer.ts";
export type { AnyTrainerOptions, TrainerFactory } from "./trainer/trainer_registry.ts";
export { defaultTrainers, TrainerRegistry } from "./trainer/trainer_registry.ts";
