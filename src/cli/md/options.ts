/**
 * Options of dynamics that the command `md` and the page share.
 *
 * @module
 */

import { choice, count, flag, number, type OptionsOf } from "../frame/option.ts";
import type { MdSettings } from "./settings.ts";

/** Options of the ensemble and the integrator. */
export const ENSEMBLE_OPTIONS: Pick<
  OptionsOf<MdSettings>,
  | "ensemble"
  | "temperature"
  | "pressure"
  | "steps"
  | "time"
  | "dt"
  | "thermostat"
  | "friction"
  | "thermostatTime"
  | "barostatTime"
  | "coupling"
  | "seed"
  | "drawVelocities"
> = {
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
};

/** Options of the intervals of frames and rows. */
export const INTERVAL_OPTIONS: Pick<OptionsOf<MdSettings>, "trajEvery" | "logEvery"> = {
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
};
