/**
 * Options of run folders, and their checks.
 *
 * @module
 */

import { checkKeys, checkKind, checkOptions } from "../../base/check_options.ts";
import { checkNumber, POSITIVE, wholeFrom } from "../../base/check_number.ts";
import type { ReporterOptions, ScalarReporter } from "../../observe/mod.ts";
import type { SystemWriter } from "../../sinks/mod.ts";
import { canonicalText } from "../../base/canonical_json.ts";
import { isObject } from "../../base/object.ts";

/** Options of the trajectory of a run. */
export interface RunTrajectory {
  /**
   * Sink for the frames, such as `new ZarrSink(`${path}/trajectory.zarr`)`. Closing the run folder does not close it.
   */
  readonly sink: SystemWriter;
  /**
   * Number of steps between two frames.
   *
   * @default 100
   */
  readonly frequency?: number;
  /**
   * True to begin with the initial structures, as `TrajectoryHook` does: `step` is then the number of steps done. If
   * false, frames are written as by `SnapshotHook`.
   *
   * @default false
   */
  readonly initial?: boolean;
  /**
   * Fields to keep besides those that every batch has.
   *
   * @default all fields
   */
  readonly fields?: readonly string[];
}

/** Options of the checkpoints of a run. */
export interface RunCheckpoints {
  /**
   * Number of steps between two checkpoints. One more is written after the last step.
   *
   * @default 1000
   */
  readonly every?: number;
  /**
   * Interval between two checkpoints, s, in addition to those by steps.
   *
   * @default undefined: checkpoints are written by steps only
   */
  readonly everySeconds?: number;
  /**
   * Number of checkpoints to keep, the newest ones.
   *
   * @default 3
   */
  readonly keep?: number;
}

/** Options of {@linkcode openRunFolder}. */
export interface RunFolderOptions {
  /**
   * Configuration of the run: plain data that `canonicalJson` accepts. If a run in the folder has done a step, it
   * must equal the folder's configuration; otherwise it replaces that configuration.
   *
   * @default the configuration of an existing folder
   */
  readonly config?: unknown;
  /**
   * True to accept a configuration that differs from that of the run in the folder. It replaces the stored one when
   * the attached engine begins to run, unless that run fails before its first step. The run log shows its hash from
   * the next part on.
   *
   * @default false: a folder whose run has done a step refuses another configuration
   */
  readonly override?: boolean;
  /**
   * Options of checkpoints; `false` writes no checkpoints.
   *
   * @default every 1000 steps, the newest 3
   */
  readonly checkpoints?: RunCheckpoints | false;
  /**
   * Trajectory of a run of dynamics.
   *
   * @default undefined: frames are not written
   */
  readonly trajectory?: RunTrajectory;
  /**
   * Options of the `Reporter` that collects scalars. Its `reporters` receive the scalars in addition to the files of
   * the folder.
   *
   * @default scalars are collected every 10 steps
   */
  readonly scalars?: Partial<Omit<ReporterOptions, "name">>;
  /**
   * Also writes scalars to TensorBoard files.
   *
   * @default true
   */
  readonly tensorBoard?: boolean;
  /**
   * Profiles every 100th step. The report then contains timings.
   *
   * @default false
   */
  readonly profile?: boolean;
  /**
   * Format of the report, which is replaced at the end of each run; `false` writes no report.
   *
   * @default "html"
   */
  readonly report?: "html" | "markdown" | false;
  /**
   * Hash of the commit to log. If it is given, git is not read.
   *
   * @default the result of `gitCommit`
   */
  readonly commit?: string;
}

/** Checked options of a run folder, with defaults applied. */
export interface ReadFolderOptions {
  readonly config: unknown;
  readonly override: boolean;
  readonly checkpoints:
    | Required<Omit<RunCheckpoints, "everySeconds">> & Pick<RunCheckpoints, "everySeconds">
    | false;
  readonly trajectory: (RunTrajectory & { readonly frequency: number }) | undefined;
  readonly scalars: Partial<Omit<ReporterOptions, "name">>;
  readonly reporters: readonly ScalarReporter[];
  readonly tensorBoard: boolean;
  readonly profile: boolean;
  readonly report: "html" | "markdown" | false;
  readonly commit: string | undefined;
}

const OPTIONS = [
  "config",
  "override",
  "checkpoints",
  "trajectory",
  "scalars",
  "tensorBoard",
  "profile",
  "report",
  "commit",
];

const ACTION = "open a run folder";

/** Checks the options, and applies defaults. */
export function readFolderOptions(options: RunFolderOptions): ReadFolderOptions {
  checkOptions(ACTION, options, OPTIONS);
  const { checkpoints = {}, trajectory, scalars = {}, report = "html", config } = options;
  const { tensorBoard = true, profile = false, override = false, commit } = options;
  if (config !== undefined) canonicalText(config, "config"); // throws now, before the folder is created
  if (checkpoints !== false) {
    checkPart("checkpoints", checkpoints, ["every", "everySeconds", "keep"]);
  }
  if (trajectory !== undefined) checkTrajectory(trajectory);
  checkKind(ACTION, "scalars", scalars, "an object", isObject);
  for (const [member, value] of Object.entries({ tensorBoard, profile, override })) {
    checkKind(ACTION, member, value, "true or false", (x) => typeof x === "boolean");
  }
  const isReport = (x: unknown) => x === "html" || x === "markdown" || x === false;
  checkKind(ACTION, "report", report, '"html", "markdown" or false', isReport);
  return {
    config,
    override,
    scalars,
    tensorBoard,
    profile,
    report,
    commit,
    checkpoints: checkpoints === false ? false : {
      every: counted("checkpoints.every", checkpoints.every ?? 1000),
      ...secondsOf(checkpoints),
      keep: counted("checkpoints.keep", checkpoints.keep ?? 3),
    },
    trajectory: trajectory && {
      ...trajectory,
      frequency: counted("trajectory.frequency", trajectory.frequency ?? 100),
    },
    reporters: scalars.reporters ?? [],
  };
}

function checkTrajectory(trajectory: RunTrajectory): void {
  checkPart("trajectory", trajectory, ["sink", "frequency", "initial", "fields"]);
  const isSink = () => typeof trajectory.sink?.write === "function";
  checkKind(ACTION, "trajectory.sink", trajectory.sink, "a sink with a write() function", isSink);
  const { initial = false } = trajectory;
  const isFlag = (x: unknown) => typeof x === "boolean";
  checkKind(ACTION, "trajectory.initial", initial, "true or false", isFlag);
}

function checkPart(name: string, value: object, known: readonly string[]): void {
  checkKind(ACTION, name, value, "an object", isObject);
  checkKeys(ACTION, name, value, known);
}

function secondsOf({ everySeconds }: RunCheckpoints): Pick<RunCheckpoints, "everySeconds"> {
  if (everySeconds === undefined) return {};
  checkNumber(ACTION, "checkpoints.everySeconds", everySeconds, POSITIVE);
  return { everySeconds };
}

function counted(member: string, value: number): number {
  checkNumber(ACTION, member, value, wholeFrom(1));
  return value;
}
