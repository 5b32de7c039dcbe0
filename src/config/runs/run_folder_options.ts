/**
 * What a run folder is told, checked.
 *
 * @module
 */

import { checkKeys, checkKind, checkOptions } from "../../base/check_options.ts";
import { checkNumber, wholeFrom } from "../../base/check_number.ts";
import type { ReporterOptions, ScalarReporter } from "../../observe/mod.ts";
import type { SystemWriter } from "../../sinks/mod.ts";
import { canonicalText } from "../canonical_json.ts";
import { isObject } from "../../base/object.ts";

/** A trajectory of a run. */
export interface RunTrajectory {
  /** Where frames go: `new ZarrSink(`${path}/trajectory.zarr`)`. It stays open. */
  readonly sink: SystemWriter;
  /**
   * At every so many steps.
   *
   * @default 100
   */
  readonly frequency?: number;
}

/** When checkpoints are written, and how many are kept. */
export interface RunCheckpoints {
  /**
   * At every so many steps, and after the last.
   *
   * @default 1000
   */
  readonly every?: number;
  /**
   * How many are kept, the newest.
   *
   * @default 3
   */
  readonly keep?: number;
}

/** What a {@linkcode RunFolder} is made of. */
export interface RunFolderOptions {
  /**
   * The configuration of the run, plain data as `canonicalJson` takes it. A folder that is there must be of the same
   * one.
   *
   * @default none; that of the folder, where there is one
   */
  readonly config?: unknown;
  /**
   * When checkpoints are written; `false`: never.
   *
   * @default every 1000 steps, the newest 3
   */
  readonly checkpoints?: RunCheckpoints | false;
  /**
   * Where frames of dynamics go.
   *
   * @default nowhere
   */
  readonly trajectory?: RunTrajectory;
  /**
   * How scalars are collected: as for a `Reporter`, whose reporters are told besides the files of the folder.
   *
   * @default at every 10 steps
   */
  readonly scalars?: Partial<Omit<ReporterOptions, "name">>;
  /**
   * Whether scalars go to files of TensorBoard, too.
   *
   * @default true
   */
  readonly tensorBoard?: boolean;
  /**
   * Whether a profiler looks at every 100th step, for the report.
   *
   * @default false
   */
  readonly profile?: boolean;
  /**
   * In what a report is written at the end of a run, each time anew.
   *
   * @default "html"
   */
  readonly report?: "html" | "markdown" | false;
  /**
   * The commit, where git is not to be asked.
   *
   * @default what git says
   */
  readonly commit?: string;
}

/** The options, whole. */
export interface ReadFolderOptions {
  readonly config: unknown;
  readonly checkpoints: Required<RunCheckpoints> | false;
  readonly trajectory: Required<RunTrajectory> | undefined;
  readonly scalars: Partial<Omit<ReporterOptions, "name">>;
  readonly reporters: readonly ScalarReporter[];
  readonly tensorBoard: boolean;
  readonly profile: boolean;
  readonly report: "html" | "markdown" | false;
  readonly commit: string | undefined;
}

const OPTIONS = [
  "config",
  "checkpoints",
  "trajectory",
  "scalars",
  "tensorBoard",
  "profile",
  "report",
  "commit",
];

const ACTION = "open a run folder";

/** Checks the options. */
export function readFolderOptions(options: RunFolderOptions): ReadFolderOptions {
  checkOptions(ACTION, options, OPTIONS);
  const { checkpoints = {}, trajectory, scalars = {}, report = "html", config } = options;
  const { tensorBoard = true, profile = false, commit } = options;
  if (config !== undefined) canonicalText(config, "config"); // now, not when the folder is made
  if (checkpoints !== false) checkPart("checkpoints", checkpoints, ["every", "keep"]);
  if (trajectory !== undefined) checkTrajectory(trajectory);
  checkKind(ACTION, "scalars", scalars, "an object", isObject);
  for (const [member, value] of Object.entries({ tensorBoard, profile })) {
    checkKind(ACTION, member, value, "true or false", (x) => typeof x === "boolean");
  }
  const isReport = (x: unknown) => x === "html" || x === "markdown" || x === false;
  checkKind(ACTION, "report", report, '"html", "markdown" or false', isReport);
  return {
    config,
    scalars,
    tensorBoard,
    profile,
    report,
    commit,
    checkpoints: checkpoints === false ? false : {
      every: counted("checkpoints.every", checkpoints.every ?? 1000),
      keep: counted("checkpoints.keep", checkpoints.keep ?? 3),
    },
    trajectory: trajectory && {
      sink: trajectory.sink,
      frequency: counted("trajectory.frequency", trajectory.frequency ?? 100),
    },
    reporters: scalars.reporters ?? [],
  };
}

function checkTrajectory(trajectory: RunTrajectory): void {
  checkPart("trajectory", trajectory, ["sink", "frequency"]);
  const isSink = () => typeof trajectory.sink?.write === "function";
  checkKind(ACTION, "trajectory.sink", trajectory.sink, "a sink, with a function write", isSink);
}

function checkPart(name: string, value: object, known: readonly string[]): void {
  checkKind(ACTION, name, value, "an object", isObject);
  checkKeys(ACTION, name, value, known);
}

function counted(member: string, value: number): number {
  checkNumber(ACTION, member, value, wholeFrom(1));
  return value;
}
