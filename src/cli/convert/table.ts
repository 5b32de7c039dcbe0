/**
 * Table of the command `hooke convert`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { files, flag, number } from "../frame/option.ts";
import { FORMAT_OPTIONS, formatNames } from "../run/formats.ts";
import type { ConvertSettings } from "./settings.ts";

/** The command `hooke convert`. */
export const CONVERT: Command<ConvertSettings> = {
  name: "convert",
  summary: "converts structures and trajectories to another format",
  options: {
    files: files({
      value: "FILES… OUTPUT",
      help: "Files to read, and last the file to write; FILE@-1 or FILE@0:10 selects frames",
    }),
    ...FORMAT_OPTIONS,
    frameTime: number({
      value: "FS",
      also: ["dt"],
      help: "Time between two frames in .dcd, .xtc and .h5md, fs",
      initial: 1,
    }),
    overwrite: flag({ help: "Replace an existing file" }),
  },
  notes: [`Formats by the end of the name: ${formatNames("read")}.`],
  examples: [
    ["convert quartz.cif quartz.xyz", "writes all atoms of the cell"],
    ["convert run.zarr@-1 POSCAR", "writes the last frame of a trajectory"],
    ["convert md.xtc md.xyz --topology start.pdb", "adds the elements, which .xtc lacks"],
  ],
  load: async () => (await import("./convert.ts")).convert,
};
