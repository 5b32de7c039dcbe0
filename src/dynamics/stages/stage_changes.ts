/**
 * Changes of the stages of systems in a step.
 *
 * @module
 */

/** Stages of systems during a step and after it. */
export interface StageChanges {
  /** Index of the stage in which each system did the step. */
  readonly stage: Int32Array;
  /** Index of the stage of each system after the step. */
  readonly status: Int32Array;
}

/**
 * Changes of stages, with the systems that converged or entered a stage. The context of an event contains it for
 * hooks of stages.
 */
export interface StageEvent extends StageChanges {
  /** One number per system: 1 if it has converged or changed its stage, otherwise 0. */
  readonly mask: ArrayLike<number>;
}

/** Key of the {@linkcode StageEvent} in a context. */
export const STAGE_EVENT: unique symbol = Symbol("stages");

/** Returns whether any system has changed its stage. */
export function hasChanges({ stage, status }: StageChanges): boolean {
  return stage.some((was, s) => was !== status[s]);
}
