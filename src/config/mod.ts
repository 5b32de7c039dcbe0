/**
 * What makes a run known: its configuration as a hash, its commit, its versions, and a log of all that with the
 * hooks it had and when they changed.
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
export type { GitCommitOptions } from "./git_commit.ts";
export { gitCommit } from "./git_commit.ts";
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
