/**
 * Table of the command `hooke serve`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { count, files, flag, text } from "../frame/option.ts";
import type { ServeSettings } from "./settings.ts";

/** The command `hooke serve`. */
export const SERVE: Command<ServeSettings> = {
  name: "serve",
  summary: "shows runs in a browser, also while they are going on",
  options: {
    folders: files({
      value: "FOLDER…",
      help: "Run folders, or folders with run folders below them",
      otherwise: "the current folder",
    }),
    host: text({
      value: "NAME",
      help: "Address to listen on; others than 127.0.0.1 let other machines in",
      initial: "127.0.0.1",
    }),
    port: count({ help: "Port; 0 for any unused one", initial: 0, least: 0 }),
    open: flag({ help: "Open the page in a browser" }),
    json: flag({ help: "Print the address as one JSON object" }),
  },
  notes: [
    "The command prints the address of the page, with a token that changes with each start. It serves until Ctrl-C.",
    "Nothing in the folders is changed. To pause a run or toggle its hooks from the page, start the run with --watch.",
    "From another machine: `ssh -L 8080:127.0.0.1:PORT NAME`, then open the address with 8080 instead of the port.",
  ],
  examples: [
    ["serve argon-md", "shows one run"],
    ["serve runs --port 8080", "shows all runs below a folder, and new ones as they begin"],
  ],
  load: async () => (await import("./serve.ts")).serve,
};
