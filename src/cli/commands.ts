/**
 * The list of commands. The table of a command is loaded when it is needed, and its code when it runs.
 *
 * @module
 */

import type { AnyCommand, ListedCommand } from "./frame/command.ts";

/** All commands, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: "relax",
    summary: "relaxes structures, and writes the relaxed ones",
    open: async () => (await import("./relax/table.ts")).RELAX as AnyCommand,
  },
  {
    name: "md",
    summary: "runs molecular dynamics, with a run folder",
    open: async () => (await import("./md/table.ts")).MD as AnyCommand,
  },
  {
    name: "screen",
    summary: "relaxes any number of structures, and sets failures aside",
    open: async () => (await import("./screen/table.ts")).SCREEN as AnyCommand,
  },
  {
    name: "singlepoint",
    summary: "computes energies, forces and stresses of structures",
    open: async () => (await import("./singlepoint/table.ts")).SINGLEPOINT as AnyCommand,
  },
  {
    name: "queue",
    summary: "shows a queue, retries or cancels structures, and restores what it has lost",
    open: async () => (await import("./queue/queue_table.ts")).QUEUE as AnyCommand,
  },
  {
    name: "resume",
    summary: "continues the run of a run folder from its newest checkpoint",
    open: async () => (await import("./resume/table.ts")).RESUME as AnyCommand,
  },
  {
    name: "submit",
    summary: "sends a recipe and structures to a campaign's folder, a cluster or a queue",
    open: async () => (await import("./campaign/submit_table.ts")).SUBMIT as AnyCommand,
  },
  {
    name: "work",
    summary: "computes the structures of a campaign or a queue that have no result",
    open: async () => (await import("./campaign/submit_table.ts")).WORK as AnyCommand,
  },
  {
    name: "status",
    summary: "counts the finished, failed and missing structures of a campaign",
    open: async () => (await import("./campaign/results_table.ts")).STATUS as AnyCommand,
  },
  {
    name: "results",
    summary: "lists the results of a campaign, and writes the final structures",
    open: async () => (await import("./campaign/results_table.ts")).RESULTS as AnyCommand,
  },
  {
    name: "inspect",
    summary: "describes models, structures, checkpoints and run folders",
    open: async () => (await import("./inspect/table.ts")).INSPECT as AnyCommand,
  },
  {
    name: "plot",
    summary: "draws the curves of a run in the terminal, or as a picture",
    open: async () => (await import("./plot/table.ts")).PLOT as AnyCommand,
  },
  {
    name: "report",
    summary: "writes report.html of a run folder again, from its files",
    open: async () => (await import("./report/table.ts")).REPORT as AnyCommand,
  },
  {
    name: "serve",
    summary: "shows runs in a browser, also while they are going on",
    open: async () => (await import("./serve/table.ts")).SERVE as AnyCommand,
  },
  {
    name: "compare",
    summary: "compares two runs, two files of structures, or two models",
    open: async () => (await import("./compare/table.ts")).COMPARE as AnyCommand,
  },
  {
    name: "doctor",
    summary: "shows what this machine has, and what is slow and why",
    open: async () => (await import("./doctor/table.ts")).DOCTOR as AnyCommand,
  },
  {
    name: "bench",
    summary: "measures dynamics with a potential on each device of this machine",
    open: async () => (await import("./bench/table.ts")).BENCH as AnyCommand,
  },
  {
    name: "hooks",
    summary: "lists the hooks of a run, or of modules, and the stages at which they run",
    open: async () => (await import("./hooks/table.ts")).HOOKS as AnyCommand,
  },
  {
    name: "completions",
    summary: "prints a script that completes commands and options in a shell",
    open: async () => (await import("./shell/completions_table.ts")).COMPLETIONS as AnyCommand,
  },
  {
    name: "schema",
    summary: "prints the JSON Schema of configuration files",
    open: async () => (await import("./shell/schema_table.ts")).SCHEMA as AnyCommand,
  },
  {
    name: "fine-tune",
    summary: "trains a potential further on frames with energies and forces",
    open: async () => (await import("./train/table.ts")).FINE_TUNE as AnyCommand,
  },
  {
    name: "train",
    summary: "trains a potential from its initial weights on frames with energies and forces",
    open: async () => (await import("./train/table.ts")).TRAIN as AnyCommand,
  },
  {
    name: "convert",
    summary: "converts structures and trajectories to another format",
    open: async () => (await import("./convert/table.ts")).CONVERT as AnyCommand,
  },
  {
    name: "export",
    summary: "adds forces and virials to an ONNX model of energies",
    open: async () => (await import("./export/table.ts")).EXPORT as AnyCommand,
  },
  {
    name: "demo",
    summary: "relaxes crystals of argon in one batch, then runs dynamics at 40 K",
    open: async () => (await import("./demo_table.ts")).DEMO as AnyCommand,
  },
];
