/**
 * Options of the optimizer that the command `relax` and the page share.
 *
 * @module
 */

import { choice, count, flag, number, type OptionsOf } from "../frame/option.ts";
import type { RelaxSettings } from "./settings.ts";

/** Options of the optimizer and of convergence. */
export const OPTIMIZER_OPTIONS: Pick<
  OptionsOf<RelaxSettings>,
  "fmax" | "smax" | "steps" | "optimizer" | "dt" | "cell" | "isotropic" | "pressure"
> = {
  fmax: number({ value: "F", help: "Largest force of a relaxed structure, eV/Å", initial: 0.05 }),
  smax: number({
    value: "S",
    also: ["stress-max"],
    help: "Largest stress of a relaxed cell, GPa, beyond --pressure; with --cell or --isotropic",
    initial: 0.01,
  }),
  steps: count({
    also: ["max-steps"],
    help: "Largest number of steps",
    initial: 1000,
    least: 0,
  }),
  optimizer: choice(["lbfgs", "fire", "fire2"], {
    help: "Optimizer: lbfgs, fire or fire2",
    initial: "lbfgs",
  }),
  dt: number({
    also: ["timestep"],
    help: "Time step of fire and fire2, Å·√(amu/eV), as in ASE",
    initial: 0.1,
  }),
  cell: flag({ also: ["opt-cell-fully"], help: "Relax the cells, too" }),
  isotropic: flag({
    also: ["opt-cell-lengths", "hydrostatic-strain"],
    help: "Relax the cells, and keep their shape",
  }),
  pressure: number({
    value: "P",
    also: ["scalar-pressure"],
    help: "External pressure on the cells, GPa",
    initial: 0,
    least: -Infinity,
  }),
};
