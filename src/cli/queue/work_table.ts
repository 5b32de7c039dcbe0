/**
 * Table of the command `hooke work`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, flag, number, text } from "../frame/option.ts";
import { CONFIG_OPTIONS } from "../run/table.ts";
import { CONNECTION_OPTIONS } from "./options.ts";
import type { WorkSettings } from "./settings.ts";

/** The command `hooke work`. */
export const WORK: Command<WorkSettings> = {
  name: "work",
  summary: "computes the structures of a queue, until it is stopped",
  options: {
    store: text({
      value: "FOLDER",
      letter: "o",
      help: "Folder of the results, which workers on all machines may share",
      otherwise: "required",
      initial: undefined,
    }),
    ...CONNECTION_OPTIONS,
    untilEmpty: flag({ help: "End when the queue is empty" }),
    tries: count({
      help: "Failed tries after which a structure is set aside",
      initial: 5,
      least: 1,
    }),
    batch: count({ help: "Most structures that the worker holds", initial: 256, least: 1 }),
    batchAtoms: count({ help: "Atoms in a batch of an engine", initial: 8192, least: 1 }),
    allowModules: choice(["none", "folder", "any"], {
      help: "Modules that recipes may run: none, folder (the current one and below) or any",
      initial: "none",
    }),
    allowDownloads: flag({ help: "Let recipes name models by web addresses" }),
    checkpoint: number({
      help: "Seconds between two checkpoints of a structure in the queue; 0 for none",
      initial: 600,
    }),
    grace: number({
      help: "Seconds for the structures in work after SIGTERM; then they are given back",
      initial: 20,
    }),
    json: flag({ help: "Print one JSON object per event instead of text" }),
    quiet: flag({ letter: "q", help: "Print only warnings" }),
    config: CONFIG_OPTIONS.config,
    set: CONFIG_OPTIONS.set,
  },
  notes: [
    "A structure leaves the queue when its result is on the disk. If a worker or the server is killed, another worker computes the structure again, with the same bytes.",
    "Start one process per core or GPU. A worker waits for a server that does not answer.",
    "Exit codes: 0 the queue is empty, or the worker was stopped and has finished its work; 1 error; 2 wrong usage; 3 structures were set aside, or left to workers that allow or have more.",
  ],
  examples: [
    [
      "work --queue nats://10.0.0.5:4222 --store /shared/results",
      "takes structures until it is stopped",
    ],
    ["work --queue nats://10.0.0.5:4222 -o results --until-empty", "ends with the queue"],
  ],
  load: async () => (await import("./work.ts")).work,
};
