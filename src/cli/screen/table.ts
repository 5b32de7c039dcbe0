/**
 * Table of the command `hooke screen`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, files, flag, text } from "../frame/option.ts";
import { RELAX } from "../relax/table.ts";
import { INPUT_OPTIONS } from "../run/table.ts";
import { STOP_SIGNALS } from "../stop.ts";
import type { ScreenSettings } from "./settings.ts";

const { output: _, traj: __, files: ___, overwrite: ____, steps: _____, ...SHARED } = RELAX.options;

/** The command `hooke screen`. */
export const SCREEN: Command<ScreenSettings> = {
  name: "screen",
  summary: "relaxes any number of structures, and sets failures aside",
  options: {
    files: files({
      value: "FOLDER|FILES…",
      also: ["struct", "structure"],
      help: "Folders of structure files, which are searched with their subfolders, or files",
    }),
    steps: count({
      also: ["max-steps"],
      help: "Largest number of steps of a structure",
      initial: 500,
      least: 1,
    }),
    out: text({
      value: "FOLDER",
      letter: "o",
      also: ["run-folder"],
      help: "Folder of the results",
      otherwise: "NAME-screen of the first folder or file, or NAME-screen-2 and so on",
      initial: undefined,
    }),
    results: text({
      value: "NAME",
      help: "File of the relaxed structures in that folder (.xyz, .jsonl, .db, .zarr)",
      initial: "results.xyz",
    }),
    batchAtoms: count({
      value: "N",
      help: "Atoms in the batch; more need more memory, and use a GPU better",
      otherwise: "an eighth of the atoms, at most 8192; 8192 on a GPU",
      initial: undefined,
      least: 1,
    }),
    signal: choice(STOP_SIGNALS.map((name) => name.slice(3).toLowerCase()), {
      help: "A further signal that stops the screening, such as USR1 from Slurm",
      otherwise: "INT and TERM only",
      initial: undefined,
    }),
    ...SHARED,
    overwrite: flag({ help: "Replace an existing folder of results" }),
    json: INPUT_OPTIONS.json,
  },
  notes: [
    "Structures stream through one batch. The folder gets status.csv (a row for each structure: file, frame, atoms, status, steps, energy, largest force, reason), the relaxed structures, and report.html. Files that cannot be read, unknown elements and diverged structures are set aside with their reason; all others go on.",
    "If the screening is interrupted, `hooke resume FOLDER` goes on with the structures that are missing.",
    "Exit codes: 0 all have converged, 1 error, 2 wrong usage, 3 some have failed or have not converged, 130 interrupted, 143 terminated, 129 hung up.",
  ],
  examples: [
    ["screen structures --model mace.onnx", "relaxes all files of a folder"],
    ["screen *.xyz --fmax 0.02 -o relaxed", "writes relaxed/status.csv and relaxed/results.xyz"],
  ],
  load: async () => (await import("./screen.ts")).screen,
};
