/**
 * Table of the command `hooke export`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag, text } from "../frame/option.ts";
import { CONFIG_OPTIONS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { ExportSettings } from "./settings.ts";

/** The command `hooke export`. */
export const EXPORT: Command<ExportSettings> = {
  name: "export",
  summary: "adds forces and virials to an ONNX model of energies",
  options: {
    files: files({
      value: "MODEL",
      also: ["model"],
      help:
        "Model with an energy and no forces: an .onnx file, a folder with one, or URL#sha256=HASH",
    }),
    output: text({
      value: "FILE",
      letter: "o",
      also: ["out"],
      help: "File to write (.onnx)",
      otherwise: "NAME.forces.onnx in the current folder",
      initial: undefined,
    }),
    forcesOnly: flag({ help: "Add forces, and no virials" }),
    struct: text({
      value: "FILE",
      also: ["structure"],
      help: "Structure on which the written file is checked; its first frame is used",
      otherwise: "8 atoms",
      initial: undefined,
    }),
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    overwrite: INPUT_OPTIONS.overwrite,
    json: flag({ help: "Print one JSON object instead of text" }),
    quiet: INPUT_OPTIONS.quiet,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "The written file contains all weights and, in its metadata, the manifest. It needs onnxruntime alone. Forces are −dE/dpositions; virials are −dE/dε for a strain ε, in the unit of the energy: divided by the negative volume, they are stresses.",
    "The written file is run, and its results are compared with derivatives in double precision and with differences of energies. If they differ, the command ends with 1, and no file is left.",
  ],
  examples: [
    ["export energy.onnx", "writes energy.forces.onnx"],
    [
      "export energy.onnx -o forces.onnx --forces-only --struct water.xyz",
      "checks it on a structure",
    ],
  ],
  load: async () => (await import("./export.ts")).exportModel,
};
