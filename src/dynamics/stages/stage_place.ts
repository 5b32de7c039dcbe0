/**
 * Position of an integrator among the stages of a fused run.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";

/** Position of a stage among the stages of a fused run. */
export interface StagePlace {
  /** Index of the stage in which each system did its last step. */
  readonly stage: Buffer<"i32">;
  /** Index of this stage, from 0. */
  readonly at: number;
  /** Number of stages. */
  readonly count: number;
  /** True if an earlier stage sets centers of mass in motion. */
  readonly isStirred: boolean;
}

const PLACES = new WeakMap<ResidentBatch, StagePlace>();

/** Calls `open`, and meanwhile makes `placeOf` return `place` for the batch. */
export function withinStage<T>(state: ResidentBatch, place: StagePlace, open: () => T): T {
  PLACES.set(state, place);
  try {
    return open();
  } finally {
    PLACES.delete(state);
  }
}

/** Returns the stage of the integrator that is being opened; `undefined` if the run is not fused. */
export function placeOf(state: ResidentBatch): StagePlace | undefined {
  return PLACES.get(state);
}
