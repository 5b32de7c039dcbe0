/**
 * Table of the command `hooke queue`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag } from "../frame/option.ts";
import { CONFIG_OPTIONS } from "../run/table.ts";
import { CONNECTION_OPTIONS, ITEM_OPTIONS } from "./options.ts";
import type { QueueSettings } from "./settings.ts";

/** The command `hooke queue`. */
export const QUEUE: Command<QueueSettings> = {
  name: "queue",
  summary: "shows a queue, retries or cancels structures, and restores what it has lost",
  options: {
    ...ITEM_OPTIONS,
    files: files({
      value: "status|retry|cancel|reconcile …",
      help:
        "Action; then ids (retry, cancel), or the folder of a campaign, or a recipe and structures (reconcile)",
    }),
    ...CONNECTION_OPTIONS,
    all: flag({ help: "Cancel all structures" }),
    config: CONFIG_OPTIONS.config,
    set: CONFIG_OPTIONS.set,
  },
  notes: [
    "status counts structures, and lists those that were set aside with the reason. retry puts these into the queue again: all, or those whose ids begin as given. cancel removes structures by id, or --all. reconcile sends all structures without a result in --store that are not in the queue: after the servers have lost their disks, nothing else is needed.",
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 structures were set aside (status), or could not be read (reconcile).",
  ],
  examples: [
    ["queue status --queue nats://10.0.0.5:4222", "counts structures"],
    ["queue retry 3fa9 --queue nats://10.0.0.5:4222", "tries a structure again"],
    ["queue reconcile argon --queue nats://10.0.0.5:4222", "sends what has no result"],
    [
      "queue reconcile relax.json structures --store results --queue nats://10.0.0.5:4222",
      "the same without the folder of a campaign",
    ],
  ],
  load: async () => (await import("./queue.ts")).queue,
};
