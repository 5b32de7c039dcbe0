/**
 * Table of the command `hooke report`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag, text } from "../frame/option.ts";
import type { ReportSettings } from "./settings.ts";

/** The command `hooke report`. */
export const REPORT: Command<ReportSettings> = {
  name: "report",
  summary: "writes report.html of a run folder again, from its files",
  options: {
    runs: files({
      value: "RUN…",
      help: "Run folders, also of runs that still write or whose process was killed",
    }),
    output: text({
      value: "FILE",
      letter: "o",
      also: ["out"],
      help: "File of the report (.html or .md)",
      otherwise: "report.html in the run folder, which is replaced",
      initial: undefined,
    }),
    overwrite: flag({ help: "Replace an existing FILE of -o" }),
    json: flag({ help: "Print one JSON object per run: file, status, and warnings" }),
    quiet: flag({ letter: "q", help: "Print nothing" }),
  },
  notes: [
    "The report has the outcome, warnings, pictures of the first and the last structure, energies (eV), temperature (K), pressure (GPa) and volume (Å³) over the time (ps), losses of trainings, and the configuration as resolved. For a screening it has the histogram of the steps until convergence, and the failures. It is a single file that needs no network.",
  ],
  examples: [
    ["report argon-md", "writes argon-md/report.html"],
    ["report argon-md -o argon.md", "writes a report in Markdown"],
  ],
  load: async () => (await import("./report.ts")).writeReports,
};
