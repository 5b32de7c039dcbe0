/**
 * Table of the command `hooke relax`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { members, text, texts } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import {
  CONFIG_OPTIONS,
  ENGINE_FLAGS,
  EXIT_NOTE,
  INPUT_OPTIONS,
  POTENTIAL_OPTIONS,
} from "../run/table.ts";
import { WATCH_OPTIONS } from "../watch/watch.ts";
import { OPTIMIZER_OPTIONS } from "./options.ts";
import type { RelaxSettings } from "./settings.ts";

/** The command `hooke relax`. */
export const RELAX: Command<RelaxSettings> = {
  name: "relax",
  summary: "relaxes structures, and writes the relaxed ones",
  options: {
    files: INPUT_OPTIONS.files,
    model: POTENTIAL_OPTIONS.model,
    ...OPTIMIZER_OPTIONS,
    output: texts({
      value: "FILE",
      letter: "o",
      also: ["out"],
      help: "File of all relaxed structures (.xyz, .cif, POSCAR and others); repeatable",
      otherwise: "NAME.relaxed.xyz for each input file",
    }),
    traj: text({
      value: "FILE",
      also: ["trajectory"],
      help: "Write the structures of all steps",
      initial: undefined,
    }),
    constraints: INPUT_OPTIONS.constraints,
    engineOptions: members({
      help: "Option of the optimizer, such as maxStep=0.1 (Å)",
      flags: { ...ENGINE_FLAGS, dt: "dt", cell: "cell" },
    }),
    device: POTENTIAL_OPTIONS.device,
    runtime: POTENTIAL_OPTIONS.runtime,
    threads: POTENTIAL_OPTIONS.threads,
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    hooks: INPUT_OPTIONS.hooks,
    overwrite: INPUT_OPTIONS.overwrite,
    ...WATCH_OPTIONS,
    json: INPUT_OPTIONS.json,
    quiet: INPUT_OPTIONS.quiet,
    ...FORMAT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "All structures relax in one batch. If the command is interrupted, the structures so far are written.",
    EXIT_NOTE,
  ],
  examples: [
    ["relax argon.xyz", "writes argon.relaxed.xyz, with the built-in potential of noble gases"],
    ["relax cu.xyz --model mace.onnx --cell -o cu_relaxed.xyz", "relaxes atoms and cell"],
    ["relax a.xyz b.xyz --fmax 0.01 --json", "prints one JSON object for each structure"],
  ],
  load: async () => (await import("./relax.ts")).relax,
};
