/**
 * Table of the command `hooke plot`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, files, flag, text, texts } from "../frame/option.ts";
import type { PlotSettings } from "./settings.ts";

/** The command `hooke plot`. */
export const PLOT: Command<PlotSettings> = {
  name: "plot",
  summary: "draws the curves of a run in the terminal, or as a picture",
  options: {
    runs: files({
      value: "RUN…",
      help: "Run folders, also of runs that still write, or logs (.csv, .jsonl)",
    }),
    columns: texts({
      value: "NAMES",
      letter: "c",
      also: ["column"],
      help: "Columns to draw, such as energy,temperature; repeatable",
      otherwise: "those of the command that ran, without constant ones",
    }),
    scale: choice(["linear", "log"], {
      help: "Scale of the values",
      otherwise: "log for losses, errors and fmax that span more than a decade, else linear",
      initial: undefined,
    }),
    output: text({
      value: "FILE.svg",
      letter: "o",
      also: ["out"],
      help: "Write a picture instead of drawing in the terminal",
      otherwise: "the terminal",
      initial: undefined,
    }),
    height: count({ help: "Height of a curve in the terminal, lines", initial: 8, least: 3 }),
    width: count({
      help: "Width in the terminal, characters",
      otherwise: "that of the terminal, at most 120; 80 elsewhere",
      initial: undefined,
      least: 30,
    }),
    overwrite: flag({ help: "Replace an existing picture" }),
    json: flag({ help: "Print the points of each curve as one JSON object per line" }),
    quiet: flag({ letter: "q", help: "Print nothing; with -o" }),
  },
  notes: [
    "Columns: energy (potential), kinetic and total in eV, fmax in eV/Å, temperature in K, pressure in GPa, volume in Å³, loss, and all others of the log.",
    "The horizontal axis is the time in ps for dynamics, and the step for all else. Values are means over the structures of a run. For a screening, the histogram of the steps until convergence is drawn; with --columns, values over its structures.",
  ],
  examples: [
    ["plot argon-md", "draws energies, temperature and pressure over the time"],
    ["plot argon-md --columns energy,temperature -o run.svg", "writes a picture of two curves"],
    ["plot other/log.csv", "draws all columns of a log with a column `step`"],
  ],
  load: async () => (await import("./plot.ts")).plotRuns,
};
