/**
 * What forces come from: potentials that are kernels, sums of them, and potentials of one's own.
 *
 * @module
 */

export { buckingham } from "./pair/buckingham.ts";
export type { BuckinghamPair } from "./pair/buckingham.ts";
export { centerBias } from "./bonded/center_bias.ts";
export type { CenterBiasOptions } from "./bonded/center_bias.ts";
export { harmonicBonds } from "./bonded/harmonic_bonds.ts";
export type { HarmonicBond } from "./bonded/harmonic_bonds.ts";
export { lennardJones } from "./pair/lennard_jones.ts";
export type {
  LennardJonesMixing,
  LennardJonesMixture,
  LennardJonesOptions,
  LennardJonesPair,
} from "./pair/lennard_jones.ts";
export type { Model, ModelOutput, OpenModel, Outputs, Wanted } from "./model.ts";
export { outputsOf } from "./model.ts";
export { morse } from "./pair/morse.ts";
export type { MorseOptions, MorsePair } from "./pair/morse.ts";
export { pairPotential } from "./pair/pair_potential.ts";
export type { PairDefinition, PairPotential, PairPotentialOptions } from "./pair/pair_potential.ts";
export type {
  MixingRule,
  PairMixture,
  PairParameters,
  ParameterRange,
  ParameterRules,
} from "./pair/pair_parameters.ts";
export { PairExpression } from "../kernels/pairs/expression/expression.ts";
export type { PairEnergy } from "../kernels/pairs/expression/trace_pair.ts";
export type { BySymbol, PairOptions } from "./pair/pair_options.ts";
export { potential } from "./potential.ts";
export type { PotentialOptions, PotentialView } from "./potential.ts";
export { sum } from "./sum.ts";
export { tethers } from "./bonded/tethers.ts";
export type { TethersOptions } from "./bonded/tethers.ts";
export { yukawa } from "./pair/yukawa.ts";
export type { YukawaPair } from "./pair/yukawa.ts";
export { zbl } from "./pair/zbl.ts";
export type { ZblOptions } from "./pair/zbl.ts";
