/**
 * Pair potentials: ready-made ones, and custom ones defined by their energy.
 *
 * @example
 * ```ts
 * import { lennardJones } from "@hooke/hooke/models/pair";
 * import { assertEquals } from "@std/assert";
 *
 * const argon = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * assertEquals(argon.gives, ["energy", "forces", "stress"]);
 * ```
 *
 * @module
 */

export { PairExpression } from "../../kernels/pairs/expression/expression.ts";
export type { PairEnergy } from "../../kernels/pairs/expression/trace_pair.ts";
export { buckingham } from "./buckingham.ts";
export type { BuckinghamPair } from "./buckingham.ts";
export { lennardJones } from "./lennard_jones.ts";
export type {
  LennardJonesMixing,
  LennardJonesMixture,
  LennardJonesOptions,
  LennardJonesPair,
} from "./lennard_jones.ts";
export { morse } from "./morse.ts";
export type { MorseOptions, MorsePair } from "./morse.ts";
export type { ExcludedPair, ExclusionLists, PairExclusions } from "./pair_exclusions.ts";
export type { BySymbol, PairOptions } from "./pair_options.ts";
export type {
  MixingRule,
  PairMixture,
  PairParameterRules,
  PairParameters,
  ParameterRange,
} from "./pair_parameters.ts";
export { pairPotential } from "./pair_potential.ts";
export type { PairDefinition, PairPotentialMaker, PairPotentialOptions } from "./pair_potential.ts";
export { yukawa } from "./yukawa.ts";
export type { YukawaPair } from "./yukawa.ts";
export { zbl } from "./zbl.ts";
export type { ZblOptions } from "./zbl.ts";
