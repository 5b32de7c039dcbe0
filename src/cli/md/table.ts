/**
 * Table of the command `hooke md`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, flag, members, type OptionsOf, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, ENGINE_FLAGS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import { WATCH_OPTIONS } from "../watch/watch.ts";
import { STOP_SIGNALS } from "../stop.ts";
import { ENSEMBLE_OPTIONS, INTERVAL_OPTIONS } from "./options.ts";
import type { MdSettings } from "./settings.ts";

/** Options of the run folder. */
const FOLDER_OPTIONS = {
  out: text({
    value: "FOLDER",
    letter: "o",
    also: ["run-folder", "file-prefix"],
    help: "Run folder",
    otherwise: "NAME-md of the first file, or NAME-md-2 and so on",
    initial: undefined,
  }),
  traj: text({
    value: "NAME",
    also: ["traj-file", "trajectory"],
    help: "File of the trajectory in the run folder (.xyz, .jsonl, .db, .zarr)",
    initial: "trajectory.xyz",
  }),
  ...INTERVAL_OPTIONS,
  checkpointEvery: count({
    also: ["restart-every"],
    help: "Steps between two checkpoints; one more is written every 10 minutes",
    initial: 1000,
    least: 1,
  }),
  signal: choice(STOP_SIGNALS.map((name) => name.slice(3).toLowerCase()), {
    help: "A further signal that saves a checkpoint and stops, such as USR1 from Slurm",
    otherwise: "INT and TERM only",
    initial: undefined,
  }),
} as const satisfies Partial<OptionsOf<MdSettings>>;

/** The command `hooke md`. */
export const MD: Command<MdSettings> = {
  name: "md",
  summary: "runs molecular dynamics, with a run folder",
  options: {
    files: INPUT_OPTIONS.files,
    model: POTENTIAL_OPTIONS.model,
    ...ENSEMBLE_OPTIONS,
    ...FOLDER_OPTIONS,
    constraints: INPUT_OPTIONS.constraints,
    engineOptions: members({
      help: "Option of the integrator, such as chainLength=3",
      flags: {
        ...ENGINE_FLAGS,
        dt: "dt",
        temperature: "temperature",
        friction: "friction",
        thermostatTime: "thermostatTime",
        barostatTime: "barostatTime",
        pressure: "pressure",
        pressureCoupling: "coupling",
        seed: "seed",
      },
    }),
    device: POTENTIAL_OPTIONS.device,
    runtime: POTENTIAL_OPTIONS.runtime,
    threads: POTENTIAL_OPTIONS.threads,
    modelOptions: POTENTIAL_OPTIONS.modelOptions,
    hooks: INPUT_OPTIONS.hooks,
    overwrite: flag({ help: "Replace an existing run folder" }),
    ...WATCH_OPTIONS,
    json: INPUT_OPTIONS.json,
    quiet: INPUT_OPTIONS.quiet,
    ...FORMAT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "All structures run in one batch. Velocities of the files are kept; others are drawn at --temperature.",
    "The run folder has config.json, log.csv, the trajectory with the initial frame, final.xyz, checkpoints, report.html and files for TensorBoard (logs/tensorboard).",
    "Ctrl-C saves a checkpoint and stops; a second one stops at once. `hooke resume FOLDER` continues the run.",
    "A run that becomes too hot, moves atoms too fast or does not conserve its energy ends with warnings and exit code 3. `--set engineOptions.strict=true` stops it there.",
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 done but not physical, 130 interrupted, 143 terminated, 129 hung up (with a checkpoint).",
  ],
  examples: [
    ["md argon.xyz --temperature 80 --dt 4 --time 20", "runs 20 ps of argon at 80 K"],
    ["md cu.xyz --model mace.onnx --ensemble npt --temperature 300", "runs 1 ps at 0 GPa"],
    [
      "md a.xyz b.xyz --ensemble nve --temperature 40 --steps 500",
      "runs two structures in one batch",
    ],
  ],
  load: async () => (await import("./md.ts")).md,
};
