/**
 * Run folders, logs of runs, reports, and resumption from checkpoints.
 *
 * @example A log that identifies a run
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { parseRunLog, runLog } from "@hooke/hooke/runs";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const lines: string[] = [];
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * loop.hooks.add(runLog({ write: (line) => void lines.push(line), config: { dt: 2 }, commit: "abc" }));
 * await loop.run(3);
 * assertEquals(parseRunLog(lines.join("")).map(({ type }) => type), ["start", "end"]);
 * ```
 *
 * @module
 */

export type { GitCommitOptions } from "../../base/git_commit.ts";
export { gitCommit } from "../../base/git_commit.ts";
export { IdentityUpdate } from "./identity_update.ts";
export type { WriteLine } from "./line_writer.ts";
export type { RunLogHook } from "./run_log.ts";
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
export type { VersionInfo } from "../versions.ts";
export { versions } from "../versions.ts";
export { parseRunLog } from "./parse_run_log.ts";
export type { RunData } from "./read_run.ts";
export { readRun } from "./read_run.ts";
export type { ReportOptions } from "../report/report.ts";
export { report } from "../report/report.ts";
export type { ResumableEngine, Resumed } from "./resume.ts";
export { resume } from "./resume.ts";
export type { RunIdentity } from "./run_files.ts";
export type { FolderEngine, RunFolder } from "./run_folder_protocol.ts";
export { nextRunFolder, openRunFolder } from "./run_folder.ts";
export type { RunHolder } from "./run_folder_busy_error.ts";
export { RunFolderBusyError } from "./run_folder_busy_error.ts";
export type { RunCheckpoints, RunFolderOptions, RunTrajectory } from "./run_folder_options.ts";
