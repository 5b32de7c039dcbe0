/**
 * Settings of the commands of campaigns. `submit` and `work` are also commands of queues.
 *
 * @module
 */

import type {
  SubmitSettings as QueueSubmitSettings,
  WorkSettings as QueueWorkSettings,
} from "../queue/settings.ts";
import type { FormatSettings } from "../run/formats.ts";

/** Schedulers of clusters. */
export const SCHEDULERS = ["slurm", "pbs", "hyperqueue", "kubernetes"] as const;

/** Settings of the command `submit`. */
export interface SubmitSettings extends QueueSubmitSettings {
  /** Folder of the campaign. */
  readonly out: string | undefined;
  /** Number of seeds of each structure. */
  readonly seeds: number;
  /** True to compute the items in this process. */
  readonly local: boolean;
  /** Scheduler of an array job; undefined for none. */
  readonly scheduler: typeof SCHEDULERS[number] | undefined;
  /** Number of tasks of the array job. */
  readonly tasks: number;
  /** Time limit of the array job. */
  readonly time: string | undefined;
  /** Further lines of the script of the array job. */
  readonly directive: readonly string[];
  /** Command line that starts Hooke on the nodes; undefined for that of this process. */
  readonly program: string | undefined;
  /** True to print the script instead of submitting it. */
  readonly print: boolean;
  /** Largest number of atoms in the batch. */
  readonly batchAtoms: number;
  /** Modules that the recipe may name as hooks. */
  readonly allowModules: "none" | "folder" | "any";
}

/** Settings of the command `work`. */
export interface WorkSettings extends QueueWorkSettings {
  /** Folder of the campaign. */
  readonly files: readonly string[];
  /** Index of this task, from 0. */
  readonly task: number | undefined;
  /** Number of tasks that share the items. */
  readonly tasks: number;
  /** Signal that saves and stops besides SIGINT and SIGTERM. */
  readonly signal: string | undefined;
}

/** Settings of everything that computes the items of a folder. */
export type WorkerSettings =
  & Pick<WorkSettings, "batchAtoms" | "allowModules" | "json" | "quiet">
  & Partial<Pick<WorkSettings, "signal">>;

/** Settings of the command `status`. */
export interface StatusSettings {
  /** Folder of the campaign. */
  readonly files: readonly string[];
  readonly json: boolean;
}

/** Settings of the command `results`. */
export interface ResultsSettings extends FormatSettings {
  /** Folder of the campaign. */
  readonly files: readonly string[];
  /** Status of the results to show; undefined for all. */
  readonly status: "done" | "not-converged" | "failed" | undefined;
  /** File of the final structures. */
  readonly output: string | undefined;
  /** True to merge the files of the results. */
  readonly compact: boolean;
  readonly overwrite: boolean;
  readonly json: boolean;
}
