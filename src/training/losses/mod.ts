/**
 * Losses, which training minimizes.
 *
 * @module
 */

export type { CrossEntropyOptions } from "./cross_entropy.ts";
export { crossEntropy } from "./cross_entropy.ts";
export type { HuberOptions, LossOptions } from "./elementwise.ts";
export { huber, meanAbsoluteError, meanSquaredError } from "./elementwise.ts";
export type { EnergyForcesOptions, LossWeight } from "./energy_forces.ts";
export { energyForces } from "./energy_forces.ts";
export type { Loss, LossBuilder, LossLike, LossTerm } from "./loss.ts";
export type { EnergyForcesNames } from "./potential_terms.ts";
