/**
 * Table of the command `hooke submit`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { CONFIG_OPTIONS } from "../run/table.ts";
import { CONNECTION_OPTIONS, ITEM_OPTIONS } from "./options.ts";
import type { SubmitSettings } from "./settings.ts";

/** The command `hooke submit`. */
export const SUBMIT: Command<SubmitSettings> = {
  name: "submit",
  summary: "sends a recipe and structures to a queue, from which workers take them",
  options: {
    ...ITEM_OPTIONS,
    ...CONNECTION_OPTIONS,
    config: CONFIG_OPTIONS.config,
    set: CONFIG_OPTIONS.set,
  },
  notes: [
    "A submission can be repeated: structures that are in the queue or that were set aside are left out, and with --store those with a result, too.",
    "Pass passwords in files: other users of a machine see the addresses of a command line.",
    "Exit codes: 0 all were sent, 1 error, 2 wrong usage, 3 some files could not be read.",
  ],
  examples: [
    [
      "submit relax.json structures -o argon --queue nats://10.0.0.5:4222",
      "stores structures in a folder, and queues them",
    ],
    ["submit relax.json urgent.xyz --queue nats://10.0.0.5:4222 --priority high", "goes first"],
  ],
  load: async () => (await import("./submit.ts")).submit,
};
