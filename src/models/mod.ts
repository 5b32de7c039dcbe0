/**
 * Models of forces: pair potentials, bonded potentials, custom potentials, and sums of models.
 *
 * @module
 */

export { centerBias } from "./bonded/center_bias.ts";
export type { CenterBiasOptions } from "./bonded/center_bias.ts";
export { harmonicBonds } from "./bonded/harmonic_bonds.ts";
export type { SpringBond } from "./bonded/harmonic_bonds.ts";
export type { Model, ModelOutput, OpenModel, Outputs, Wanted } from "./model.ts";
export { outputsOf } from "./model.ts";
export * from "./pair/mod.ts";
export { potential } from "./potential.ts";
export type { PotentialOptions, PotentialView } from "./potential.ts";
export { sum } from "./sum.ts";
export { tethers } from "./bonded/tethers.ts";
export type { TethersOptions } from "./bonded/tethers.ts";
