/**
 * What a run folder is told, checked.
 *
 * @module
 */

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

/** Checks the options. */
export function readFolderOptions(options: RunFolderOptions): ReadFolderOptions {
  known("its options", options, OPTIONS);
  const { checkpoints = {}, trajectory, scalars = {}, report = "html", config } = options;
  const { tensorBoard = true, profile = false, commit } = options;
  if (config !== undefined) canonicalText(config, "config"); // now, not when the folder is made
  if (checkpoints !== false) known("checkpoints", checkpoints, ["every", "keep"]);
  if (trajectory !== undefined) checkTrajectory(trajectory);
  known("scalars", scalars);
  for (const [member, value] of Object.entries({ tensorBoard, profile })) {
    if (typeof value !== "boolean") refuse(`${member} must be true or false`, value);
  }
  if (!["html", "markdown", false].includes(report)) {
    refuse('report must be "html", "markdown" or false', report);
  }
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
  known("trajectory", trajectory, ["sink", "frequency"]);
  if (typeof trajectory.sink?.write === "function") return;
  refuse("trajectory.sink must be a sink, with a function write", typeof trajectory.sink);
}

function known(what: string, value: unknown, members?: readonly string[]): void {
  if (!isObject(value)) return refuse(`${what} must be an object`, value);
  for (const member of Object.keys(value)) {
    if (members === undefined || members.includes(member)) continue;
    refuse(`${what} must be among ${members.join(", ")}`, member);
  }
}

function counted(member: string, value: number): number {
  if (typeof value !== "number") refuse(`${member} must be a number`, value);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new RangeError(
    `Cannot open a run folder as ${member} must be a whole number from 1 on: current value is ${value}`,
  );
}

function refuse(requirement: string, value: unknown): never {
  throw new TypeError(
    `Cannot open a run folder as ${requirement}: current value is ${
      JSON.stringify(value) ?? String(value)
    }`,
  );
}
