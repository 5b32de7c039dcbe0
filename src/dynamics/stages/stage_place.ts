/**
 * The position of an integrator among several.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";

/** A stage of a fused engine. */
export interface StagePlace {
  /** The stage in which each system did its last step. */
  readonly stage: Buffer<"i32">;
  /** Number of the stage. */
  readonly at: number;
  /** Number of stages. */
  readonly count: number;
  /** True if a stage before it sets centers of mass in motion. */
  readonly isStirred: boolean;
}

const PLACES = new WeakMap<ResidentBatch, StagePlace>();

/** Opens an integrator in its stage. */
export function withinStage<T>(state: ResidentBatch, place: StagePlace, open: () => T): T {
  PLACES.set(state, place);
  try {
    return open();
  } finally {
    PLACES.delete(state);
  }
}

/** Returns the stage of the integrator that is being opened; `undefined` if it is the only one. */
export function placeOf(state: ResidentBatch): StagePlace | undefined {
  return PLACES.get(state);
}
