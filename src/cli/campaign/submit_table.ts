/**
 * Tables of the commands `hooke submit` and `hooke work`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, files, flag, type OptionsOf, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { INPUT_OPTIONS } from "../run/table.ts";
import { STOP_SIGNALS } from "../stop.ts";
import type { SubmitSettings, WorkerSettings, WorkSettings } from "./settings.ts";

const WORKER_OPTIONS: OptionsOf<WorkerSettings> = {
  batchAtoms: count({
    value: "N",
    help: "Atoms in the batch; has no effect on results",
    initial: 8192,
    least: 1,
  }),
  allowModules: flag({ help: "Run the modules that the recipe names as hooks" }),
  signal: choice(STOP_SIGNALS.map((name) => name.slice(3).toLowerCase()), {
    help: "A further signal that saves and stops, such as USR2 from Slurm",
    otherwise: "INT and TERM only",
    initial: undefined,
  }),
  json: INPUT_OPTIONS.json,
  quiet: INPUT_OPTIONS.quiet,
};

/** The command `hooke submit`. */
export const SUBMIT: Command<SubmitSettings> = {
  name: "submit",
  summary: "adds structures to a campaign, and computes them here or on a cluster",
  options: {
    files: files({
      value: "RECIPE FILES…",
      help: "The recipe (.json, .yaml or .toml), and files or folders of structures",
    }),
    out: text({
      value: "FOLDER",
      letter: "o",
      help: "Folder of the campaign; structures are added to an existing one",
      otherwise: "NAME-campaign of the recipe",
      initial: undefined,
    }),
    seeds: count({
      help: "Compute each structure with the seeds 0, 1, … below this number",
      initial: 1,
      least: 1,
    }),
    local: flag({ help: "Compute the structures in this process" }),
    ...WORKER_OPTIONS,
    ...FORMAT_OPTIONS,
  },
  notes: [
    "A recipe is a pipeline: { model: lj:argon, stages: [{ stage: relax }, { stage: md, steps: 1000, temperature: 300 }] }. Each structure is computed once, whatever machine computes it, however often it is submitted. The results have the same bytes in any batch and after any restart.",
    "hooke work computes the structures that have no result. hooke status and hooke results show the campaign.",
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 some structures have failed or could not be read, 130 interrupted, 143 terminated, 129 hung up.",
  ],
  examples: [
    ["submit recipe.yaml structures --local", "computes all files of a folder in this process"],
    [
      "submit recipe.json *.xyz -o argon",
      "writes the campaign argon; hooke work argon computes it",
    ],
  ],
  load: async () => (await import("./submit.ts")).submit,
};

/** The command `hooke work`. */
export const WORK: Command<WorkSettings> = {
  name: "work",
  summary: "computes the structures of a campaign that have no result",
  options: {
    files: files({ value: "FOLDER", help: "Folder of the campaign" }),
    task: count({
      value: "I",
      help: "Index of this task, from 0, of --tasks tasks that share the structures",
      otherwise: "all structures",
      initial: undefined,
      least: 0,
    }),
    tasks: count({ help: "Number of tasks", initial: 1, least: 1 }),
    ...WORKER_OPTIONS,
  },
  notes: [
    "Any number of processes on any machines may work on a campaign in a shared folder. Without --task, two processes may compute a structure twice; the results have the same bytes, and one is used.",
    "On a signal the unfinished structures are saved, and the next hooke work with the same --task and --tasks continues them.",
  ],
  examples: [
    ["work argon", "computes what is missing"],
    ["work argon --task 3 --tasks 8", "computes the fourth of eight shares"],
  ],
  load: async () => (await import("./work.ts")).work,
};
