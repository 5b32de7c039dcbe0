/**
 * Who has left a stage in a step, and who has come to one.
 *
 * @module
 */

/** Where systems were in a step, and where they are after it. */
export interface StageNews {
  /** The stage in which each system did the step. */
  readonly stage: Int32Array;
  /** Its stage from now on. */
  readonly status: Int32Array;
}

/** The same with who has converged, as hooks of stages find it in their context. */
export interface StageEvent extends StageNews {
  /** 1 for each that has converged, or has come. */
  readonly mask: ArrayLike<number>;
}

/** Where it is in a context. */
export const STAGE_EVENT: unique symbol = Symbol("stages");

/** Has some system come to another stage? */
export function hasComers({ stage, status }: StageNews): boolean {
  return stage.some((was, s) => was !== status[s]);
}
