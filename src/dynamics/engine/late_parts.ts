/**
 * Parts of engines that only some runs need. Engines load them together, when the first of them is needed: with a
 * module for each part, bundlers would cut the engine into more and smaller files, which compress less well.
 *
 * @module
 */

export { Constrained } from "../constraints/constrained.ts";
export { namingOf } from "../divergence/diverged_details.ts";
export { openLate } from "../step/late_multi_step.ts";
