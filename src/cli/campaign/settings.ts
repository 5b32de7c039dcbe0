/**
 * Settings of the commands of campaigns.
 *
 * @module
 */

import type { FormatSettings } from "../run/formats.ts";

/** Settings of commands that compute items. */
export interface WorkerSettings {
  /** Largest number of atoms in the batch. */
  readonly batchAtoms: number;
  /** True to run modules that the recipe names as hooks. */
  readonly allowModules: boolean;
  /** Signal that saves and stops besides SIGINT and SIGTERM. */
  readonly signal: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Settings of the command `submit`. */
export interface SubmitSettings extends FormatSettings, WorkerSettings {
  /** The recipe, and files or folders of structures. */
  readonly files: readonly string[];
  /** Folder of the campaign. */
  readonly out: string | undefined;
  /** Number of seeds of each structure. */
  readonly seeds: number;
  /** True to compute the items in this process. */
  readonly local: boolean;
}

/** Settings of the command `work`. */
export interface WorkSettings extends WorkerSettings {
  /** Folder of the campaign. */
  readonly files: readonly string[];
  /** Index of this task, from 0. */
  readonly task: number | undefined;
  /** Number of tasks that share the items. */
  readonly tasks: number;
}

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
  readonly overwrite: boolean;
  readonly json: boolean;
}
