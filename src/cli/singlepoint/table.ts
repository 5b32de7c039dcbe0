/**
 * Table of the command `hooke singlepoint`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { texts } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, EXIT_NOTE, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import type { SinglepointSettings } from "./settings.ts";

/** The command `hooke singlepoint`. */
export const SINGLEPOINT: Command<SinglepointSettings> = {
  name: "singlepoint",
  summary: "computes energies, forces and stresses of structures",
  options: {
    files: INPUT_OPTIONS.files,
    model: POTENTIAL_OPTIONS.model,
    output: texts({
      value: "FILE",
      letter: "o",
      also: ["out"],
      help: "File of all structures with their results (.xyz, .jsonl, .db, .zarr); repeatable",
      otherwise: "NAME.singlepoint.xyz for each input file",
    }),
    device: POTENTIAL_OPTIONS.device,
    runtime: POTENTIAL_OPTIONS.runtime,
    threads: POTENTIAL_OPTIONS.threads,
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    overwrite: INPUT_OPTIONS.overwrite,
    json: INPUT_OPTIONS.json,
    quiet: INPUT_OPTIONS.quiet,
    ...FORMAT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "Structures whose energy or forces are not finite are named, and the exit code is 3.",
    EXIT_NOTE,
  ],
  examples: [
    ["singlepoint argon.xyz", "writes argon.singlepoint.xyz, and prints energies and forces"],
    ["singlepoint frames.xyz@-1 --model mace.onnx --json", "evaluates the last frame"],
  ],
  load: async () => (await import("./singlepoint.ts")).singlepoint,
};
