/**
 * Hooks from configurations, and run logs. Nothing here loads a package, so the main entry point exports it. Only
 * `@hooke/hooke/config` has `getTrainer`.
 *
 * @module
 */

export { canonicalJson } from "../canonical_json.ts";
export { configHash } from "../config_hash.ts";
export type { CreatedHook, CreateHooksOptions } from "./create_hooks.ts";
export { createHooks } from "./create_hooks.ts";
export type { GitCommitOptions } from "../git_commit.ts";
export { gitCommit } from "../git_commit.ts";
export type { HookFactory, RegisteredHook } from "./hook_registry.ts";
export { HookRegistry } from "./hook_registry.ts";
export type { HookList, HookSchema } from "./hook_schema.ts";
export type {
  ConfigOptions,
  GradientMonitorConfig,
  HookEntry,
  HookLists,
  HookOptionsConfig,
  HooksConfig,
  HooksConfigMembers,
} from "./hooks_config.ts";
export { hooksSchema, hooksSchemaOf } from "./hooks_schema.ts";
export { IdentityUpdate } from "../runs/identity_update.ts";
export type { JsonSchema, JsonType } from "../json_schema.ts";
export type { SnakeCase, SnakeCased } from "../letter_case.ts";
export type { WriteLine } from "../runs/line_writer.ts";
export type { RunLog } from "../runs/run_log.ts";
export { runLog } from "../runs/run_log.ts";
export type { RunLogOptions } from "../runs/run_log_options.ts";
export type { RunLogState } from "../runs/run_log_state.ts";
export type {
  LoggedError,
  LoggedOutcome,
  RunChange,
  RunEnd,
  RunMoment,
  RunRecord,
  RunStart,
} from "../runs/run_record.ts";
export type { Versions } from "../versions.ts";
export { versions } from "../versions.ts";
export { parseRunLog } from "../runs/parse_run_log.ts";
export type { RunData } from "../runs/read_run.ts";
export { readRun } from "../runs/read_run.ts";
export type { ReportOptions } from "../report/report.ts";
export { report } from "../report/report.ts";
export type { ResumableEngine, Resumed } from "../runs/resume.ts";
export { resume } from "../runs/resume.ts";
export type { RunIdentity } from "../runs/run_files.ts";
export type { FolderEngine, RunFolder } from "../runs/run_folder_protocol.ts";
export { nextRunFolder, openRunFolder } from "../runs/run_folder.ts";
export type { RunHolder } from "../runs/run_folder_busy_error.ts";
export { RunFolderBusyError } from "../runs/run_folder_busy_error.ts";
export type {
  RunCheckpoints,
  RunFolderOptions,
  RunTrajectory,
} from "../runs/run_folder_options.ts";
