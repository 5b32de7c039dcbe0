/**
 * Tables of the commands `hooke status` and `hooke results`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, files, flag, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { INPUT_OPTIONS } from "../run/table.ts";
import type { ResultsSettings, StatusSettings } from "./settings.ts";

/** The command `hooke status`. */
export const STATUS: Command<StatusSettings> = {
  name: "status",
  summary: "counts the finished, failed and missing structures of a campaign",
  options: {
    files: files({ value: "FOLDER", help: "Folder of the campaign" }),
    json: INPUT_OPTIONS.json,
  },
  notes: [
    "Exit codes: 0 all structures have a result, 1 error, 2 wrong usage, 3 some are missing or have failed.",
  ],
  examples: [["status argon", "prints the numbers of structures by their state"]],
  load: async () => (await import("./status.ts")).status,
};

/** The command `hooke results`. */
export const RESULTS: Command<ResultsSettings> = {
  name: "results",
  summary: "lists the results of a campaign, and writes the final structures",
  options: {
    files: files({ value: "FOLDER", help: "Folder of the campaign" }),
    status: choice(["done", "not-converged", "failed"], {
      help: "Only results with this status: done, not-converged or failed",
      otherwise: "all results",
      initial: undefined,
    }),
    output: text({
      value: "FILE",
      letter: "o",
      also: ["out"],
      help: "Write the final structures to a file (.xyz, .db, .zarr, .cif and others)",
      initial: undefined,
    }),
    compact: flag({ help: "Merge the files of the results into one, while nothing computes" }),
    overwrite: INPUT_OPTIONS.overwrite,
    json: INPUT_OPTIONS.json,
    ...FORMAT_OPTIONS,
  },
  notes: [
    "A campaign can be read while it is computed. The order is that of the names of the input, then of the seeds.",
    "Exit codes: 0 done, 1 results that differ or are damaged, 2 wrong usage.",
  ],
  examples: [
    ["results argon", "prints status, energy and source of each structure"],
    ["results argon --status failed", "prints the reasons of failures"],
    ["results argon -o relaxed.xyz", "writes the final structures with their energies"],
  ],
  load: async () => (await import("./results.ts")).results,
};
