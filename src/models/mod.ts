/**
 * What forces come from: potentials that are kernels, sums of them, and potentials of one's own.
 *
 * @module
 */

export { centreBias } from "./centre_bias.ts";
export type { CentreBiasOptions } from "./centre_bias.ts";
export { harmonicBonds } from "./harmonic_bonds.ts";
export type { HarmonicBond } from "./harmonic_bonds.ts";
export { lennardJones } from "./lennard_jones.ts";
export type {
  LennardJonesMixture,
  LennardJonesOptions,
  LennardJonesPair,
} from "./lennard_jones.ts";
export type { Model, ModelOutput, OpenModel, Outputs, Wanted } from "./model.ts";
export { outputsOf } from "./model.ts";
export { morse } from "./morse.ts";
export type { MorseOptions, MorsePair } from "./morse.ts";
export type { BySymbol, PairOptions } from "./pair_options.ts";
export { potential } from "./potential.ts";
export type { PotentialOptions, PotentialView } from "./potential.ts";
export { sum } from "./sum.ts";
export { tethers } from "./tethers.ts";
export type { TethersOptions } from "./tethers.ts";
