/**
 * Optimizers, and the transforms that they are composed of.
 *
 * @module
 */

export type { AdamOptions, LionOptions, SgdOptions } from "./named.ts";
export { adam, adamW, lion, sgd } from "./named.ts";
export type { GroupOptions, GroupRates, Optimizer, OptimizerOptions } from "./optimizer.ts";
export { makeOptimizer } from "./optimizer.ts";
export type { Moment, Transform, TransformBuffers } from "./transform.ts";
export type { AdamStepOptions } from "./adam_step.ts";
export { adamStep } from "./adam_step.ts";
export type { MomentOptions, MomentumOptions } from "./transforms.ts";
export {
  addDecayedWeights,
  descend,
  scaleByAdam,
  scaleByLion,
  scaleByMomentum,
} from "./transforms.ts";
