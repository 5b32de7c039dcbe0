/**
 * Table of the command `hooke hooks`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag } from "../frame/option.ts";
import type { HooksSettings } from "./settings.ts";

/** The command `hooke hooks`. */
export const HOOKS: Command<HooksSettings> = {
  name: "hooks",
  summary: "lists the hooks of a run, or of modules, and the stages at which they run",
  options: {
    files: files({
      value: "list|plan FILES…",
      help: "list: name, stages, schedule and fields; plan: the hooks of each stage in order. " +
        "FILES are a run folder, or modules as for --hooks",
    }),
    json: flag({ help: "Print one JSON object per hook or stage" }),
  },
  notes: ["Hooks of modules are added to an engine of dynamics, which checks them. Nothing runs."],
  examples: [
    ["hooks list argon-md", "lists the hooks that a run has had at its last record"],
    ["hooks plan my_hook.ts", "shows at which stages a hook of your own runs"],
  ],
  load: async () => (await import("./hooks.ts")).hooks,
};
