/**
 * Hooks from configurations, and what makes a run known. Nothing here needs a package, so the main entry point has it;
 * `getTrainer`, which makes trainers, is in `@hooke/hooke/config` alone.
 *
 * @module
 */

export { canonicalJson } from "./canonical_json.ts";
export { configHash } from "./config_hash.ts";
export type { CreatedHook, CreateHooksOptions } from "./create_hooks.ts";
export { createHooks } from "./create_hooks.ts";
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
export type { Versions } from "./versions.ts";
export { versions } from "./versions.ts";
export { parseRunLog } from "./parse_run_log.ts";
export type { RunData } from "./read_run.ts";
export { readRun } from "./read_run.ts";
export type { ReportOptions } from "./report.ts";
export { report } from "./report.ts";
export type { ResumableEngine, Resumed } from "./resume.ts";
export { resume } from "./resume.ts";
export type { RunIdentity } from "./run_files.ts";
export type { FolderEngine, RunFolder } from "./run_folder_protocol.ts";
export { nextRunFolder, openRunFolder } from "./run_folder.ts";
export type { RunHolder } from "./run_folder_busy_error.ts";
export { RunFolderBusyError } from "./run_folder_busy_error.ts";
export type { RunCheckpoints, RunFolderOptions, RunTrajectory } from "./run_folder_options.ts";
