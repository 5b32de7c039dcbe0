/**
 * Systems that change stage in a step.
 *
 * @module
 */

/** The stages of systems in a step and after it. */
export interface StageChanges {
  /** The stage in which each system did the step. */
  readonly stage: Int32Array;
  /** The stage of each system after the step. */
  readonly status: Int32Array;
}

/** The same with the systems that an event is about, as hooks of stages find it in their context. */
export interface StageEvent extends StageChanges {
  /** 1 for each system that has converged, or has changed stage. */
  readonly mask: ArrayLike<number>;
}

/** Key of the event in a context. */
export const STAGE_EVENT: unique symbol = Symbol("stages");

/** Returns whether a system has changed stage. */
export function hasChanges({ stage, status }: StageChanges): boolean {
  return stage.some((was, s) => was !== status[s]);
}
