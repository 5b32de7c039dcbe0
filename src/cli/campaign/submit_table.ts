/**
 * Tables of the commands `hooke submit` and `hooke work`, for folders and for queues.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, files, flag, text, texts } from "../frame/option.ts";
import { SUBMIT as QUEUE_SUBMIT } from "../queue/submit_table.ts";
import { WORK as QUEUE_WORK } from "../queue/work_table.ts";
import { STOP_SIGNALS } from "../stop.ts";
import { SCHEDULERS, type SubmitSettings, type WorkSettings } from "./settings.ts";

const { batchAtoms, allowModules } = QUEUE_WORK.options;
const { files: submitted, json, quiet, seed, ...queueOptions } = QUEUE_SUBMIT.options;

/** The command `hooke submit`. */
export const SUBMIT: Command<SubmitSettings> = {
  name: "submit",
  summary: "sends a recipe and structures to a campaign's folder, a cluster or a queue",
  options: {
    files: submitted,
    out: text({
      value: "FOLDER",
      letter: "o",
      help: "Folder of the campaign; structures are added to an existing one",
      otherwise: "NAME-campaign of the recipe",
      initial: undefined,
    }),
    local: flag({ help: "Compute the structures in this process" }),
    scheduler: choice(SCHEDULERS, {
      help: "Submit an array job: slurm; with --print also pbs, hyperqueue or kubernetes",
      initial: undefined,
    }),
    tasks: count({ help: "Number of tasks of the array job", initial: 1, least: 1 }),
    time: text({
      value: "TIME",
      help: "Time limit of a task, in the scheduler's form",
      otherwise: "that of the scheduler",
      initial: undefined,
    }),
    directive: texts({
      value: "LINE",
      help: "Option of the scheduler for the script, such as --partition=cpu; repeatable",
    }),
    program: text({
      value: "COMMAND",
      help: "Command that starts Hooke on the nodes of the cluster",
      otherwise: "the one that was typed",
      initial: undefined,
    }),
    print: flag({ help: "Print the script of the array job, and do not submit it" }),
    seed,
    seeds: count({
      help: "Compute each structure with this number of seeds, from --seed on",
      initial: 1,
      least: 1,
    }),
    batchAtoms,
    allowModules,
    json,
    quiet,
    ...queueOptions,
  },
  notes: [
    "A recipe is a pipeline: { model: lj:argon, stages: [{ stage: relax }, { stage: md, steps: 1000, temperature: 300 }] }. Each structure is computed once, whatever machine computes it, however often it is submitted. The results have the same bytes in any batch and after any restart.",
    "Without --queue the structures are stored in a folder. hooke work computes those that have no result; hooke status and hooke results show them.",
    ...QUEUE_SUBMIT.notes!.filter((note) => !note.startsWith("Exit codes")),
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 some structures have failed or could not be read, 130 interrupted, 143 terminated, 129 hung up.",
  ],
  examples: [
    ["submit recipe.yaml structures --local", "computes all files of a folder in this process"],
    [
      "submit recipe.json *.xyz -o argon",
      "writes the campaign argon; hooke work argon computes it",
    ],
    [
      "submit recipe.json *.xyz --scheduler slurm --tasks 8",
      "computes it by an array job of 8 tasks",
    ],
    ...QUEUE_SUBMIT.examples,
  ],
  load: async () => (await import("./submit.ts")).submit,
};

/** The command `hooke work`. */
export const WORK: Command<WorkSettings> = {
  name: "work",
  summary: "computes the structures of a campaign or a queue that have no result",
  options: {
    files: files({ value: "FOLDER", help: "Folder of the campaign; nothing with --queue" }),
    task: count({
      value: "I",
      help: "Index of this task, from 0, of --tasks tasks that share the structures",
      otherwise: "all structures",
      initial: undefined,
      least: 0,
    }),
    tasks: count({ help: "Number of tasks", initial: 1, least: 1 }),
    signal: choice(STOP_SIGNALS.map((name) => name.slice(3).toLowerCase()), {
      help: "A further signal that saves and stops, such as USR2 from Slurm",
      otherwise: "INT and TERM only",
      initial: undefined,
    }),
    ...QUEUE_WORK.options,
  },
  notes: [
    "Any number of processes on any machines may work on a campaign in a shared folder. Without --task, two processes may compute a structure twice; the results have the same bytes, and one is used.",
    "On a signal the unfinished structures are saved, and the next hooke work with the same --task and --tasks continues them.",
    ...QUEUE_WORK.notes!,
  ],
  examples: [
    ["work argon", "computes what is missing"],
    ["work argon --task 3 --tasks 8", "computes the fourth of eight shares"],
    ...QUEUE_WORK.examples,
  ],
  load: async () => (await import("./work.ts")).work,
};
