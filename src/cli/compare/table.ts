/**
 * Table of the command `hooke compare`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag, text, texts } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { CompareSettings } from "./settings.ts";

const { model: _, ...MODEL_OPTIONS } = POTENTIAL_OPTIONS;

/** The command `hooke compare`. */
export const COMPARE: Command<CompareSettings> = {
  name: "compare",
  summary: "compares two runs, two files of structures, or two models",
  options: {
    pair: files({
      value: "A B",
      help:
        "Two run folders, logs (.csv) or files of structures; with --structures two models, or one model, which is compared with the values in the files",
    }),
    structures: texts({
      value: "FILE",
      letter: "s",
      also: ["struct", "structure"],
      help: "Structures for which models are compared; FILE@0:10 selects frames; repeatable",
    }),
    columns: texts({
      value: "NAMES",
      letter: "c",
      help: "Columns of logs to compare, such as energy,temperature",
      otherwise: "all that both logs have",
    }),
    common: flag({
      help: "Compare only the steps, or structures of screenings, that both have",
    }),
    tolerance: texts({
      value: "X",
      letter: "t",
      help:
        "Largest allowed difference in the unit of the table, for all quantities or for one (forces=0.05); repeatable; if it is exceeded, the exit code is 3",
      otherwise: "any difference is allowed",
    }),
    output: text({
      value: "FILE.svg",
      letter: "o",
      also: ["out"],
      help: "Write the parity plots as a picture",
      otherwise: "the terminal",
      initial: undefined,
    }),
    ...MODEL_OPTIONS,
    ...FORMAT_OPTIONS,
    overwrite: flag({ help: "Replace an existing picture" }),
    json: flag({ help: "Print one JSON object per quantity instead of text" }),
    quiet: flag({ letter: "q", help: "Print only the table" }),
    config: CONFIG_OPTIONS.config,
    set: CONFIG_OPTIONS.set,
  },
  notes: [
    "The table has the number of values, the mean absolute difference, the root of the mean square, the largest difference and its place, and the mean of B − A: for energies in eV/atom, forces in eV/Å, stresses in eV/Å³, positions and cells in Å, and columns of logs in their units. Positions are compared as the nearest periodic images.",
    "Options of models, such as --set modelOptions.cutoff=5, are for both. A manifest beside a model is for one.",
    "Different atoms, orders of atoms or steps are errors, with the first difference.",
    "Exit codes: 0 done, 1 error, 2 wrong usage or not comparable, 3 a tolerance is exceeded.",
  ],
  examples: [
    [
      "compare mace.onnx mace_tuned.onnx --structures test.xyz -o parity.svg",
      "compares two models",
    ],
    [
      "compare mace.onnx --structures dft.xyz",
      "compares a model with the energies and forces in a file",
    ],
    ["compare argon-md argon-md-2 --columns energy,temperature", "compares two runs, step by step"],
    [
      "compare a.xyz b.xyz --tolerance energy=1e-6,forces=1e-4",
      "is a test: exit code 3 if they differ",
    ],
  ],
  load: async () => (await import("./compare.ts")).compare,
};
