/**
 * Table of the command `hooke md`.
 *
 * @module
 */

import type { Command } from "../frame/command.ts";
import { choice, count, flag, members, number, type OptionsOf, text } from "../frame/option.ts";
import { FORMAT_OPTIONS } from "../run/formats.ts";
import { CONFIG_OPTIONS, ENGINE_FLAGS, INPUT_OPTIONS, POTENTIAL_OPTIONS } from "../run/table.ts";
import { STOP_SIGNALS } from "../stop.ts";
import type { MdSettings } from "./settings.ts";

/** Options of the ensemble and the integrator. */
const ENSEMBLE_OPTIONS = {
  ensemble: choice(["nve", "nvt", "npt", "nph"], {
    help: "nve (constant energy), nvt (temperature), npt (also pressure) or nph",
    initial: "nvt",
  }),
  temperature: number({
    value: "T",
    also: ["temp", "temperature-K"],
    help: "Temperature of the thermostat and of drawn velocities, K",
    initial: 300,
    least: 0,
  }),
  pressure: number({
    value: "P",
    help: "Pressure of npt and nph, GPa (1 bar is 0.0001)",
    initial: 0,
    least: -Infinity,
  }),
  steps: count({
    also: ["n-steps"],
    help: "Number of steps",
    otherwise: "1000, unless --time is given",
    initial: undefined,
    least: 0,
  }),
  time: number({
    value: "T",
    help: "Simulated time instead of --steps, ps",
    otherwise: "--steps",
    initial: undefined,
  }),
  dt: number({ also: ["timestep"], help: "Time step, fs", initial: 1 }),
  thermostat: choice(["langevin", "bussi", "nose-hoover"], {
    help: "Thermostat of nvt: langevin, bussi (CSVR) or nose-hoover",
    initial: "langevin",
  }),
  friction: number({ help: "Friction of langevin, 1/fs", initial: 0.01, least: 0 }),
  thermostatTime: number({
    value: "T",
    also: ["taut"],
    help: "Relaxation time of bussi, nose-hoover and npt, fs",
    initial: 100,
  }),
  barostatTime: number({
    value: "T",
    also: ["taup"],
    help: "Relaxation time of the cell, fs",
    initial: 1000,
  }),
  coupling: choice(["isotropic", "anisotropic", "triclinic"], {
    help: "Changes of the cell: isotropic, anisotropic (lengths) or triclinic (all)",
    initial: "isotropic",
  }),
  seed: count({ help: "Seed of velocities and thermostat", initial: 0, least: 0 }),
  drawVelocities: flag({ help: "Draw velocities although the files have some" }),
} as const satisfies Partial<OptionsOf<MdSettings>>;

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
  trajEvery: count({
    help: "Steps between two frames of the trajectory",
    initial: 100,
    least: 1,
  }),
  logEvery: count({
    also: ["stats-every", "loginterval", "log-interval"],
    help: "Steps between two rows of the table and of log.csv",
    initial: 100,
    least: 1,
  }),
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
    json: INPUT_OPTIONS.json,
    quiet: INPUT_OPTIONS.quiet,
    ...FORMAT_OPTIONS,
    ...CONFIG_OPTIONS,
  },
  notes: [
    "All structures run in one batch. Velocities of the files are kept; others are drawn at --temperature.",
    "The run folder has config.json, log.csv, the trajectory with the initial frame, final.xyz, checkpoints, report.html and files for TensorBoard (logs/tensorboard).",
    "Ctrl-C saves a checkpoint and stops; a second one stops at once. `hooke resume FOLDER` continues the run.",
    "Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted, 143 terminated, 129 hung up (with a checkpoint).",
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
