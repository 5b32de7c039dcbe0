/**
 * Results of a step, from the host or a device.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { StageChanges } from "../stages/stage_changes.ts";
import type { Mark } from "./step_parts.ts";

/** Results of one step. */
export interface StepResults {
  /** Values of the control buffer, at the indices of `Control`. */
  readonly control: Int32Array;
  /** One number per system: 1 if it is still updated, otherwise 0. */
  readonly active: Int32Array;
  /** Stages of the systems during the step and after it; `undefined` if the run is not fused. */
  readonly stages: StageChanges | undefined;
  /** One mask of converged systems for each mark that was read. */
  readonly marked: readonly Int32Array[];
}

/** State of a batch before the first step of a run. */
export interface FirstLook {
  /** Values of the control buffer, at the indices of `Control`. */
  readonly control: Int32Array;
  /** True if any system is active. */
  readonly isMoving: boolean;
  /** Largest number of steps that a system has done. */
  readonly oldest: number;
}

/** Returns the state of a batch before the first step of a run. */
export function lookAt(state: ResidentBatch): FirstLook | PromiseLike<FirstLook> {
  const { control, active, ages } = state.frame;
  return state.withArrays({ control, active, ages }, [], ({ control, active, ages }) => ({
    control: control.slice(),
    isMoving: active.includes(1),
    oldest: ages.reduce((most, age) => Math.max(most, age), 0),
  }));
}

/**
 * Sets the status of active systems to 0 if it is one of `targets`. An active system has not converged in this run;
 * its status is from before.
 */
export function clearTargets(
  state: ResidentBatch,
  targets: readonly number[],
): void | PromiseLike<void> {
  if (targets.length === 0) return;
  const status = state.field<"i32">("status"), { active } = state.frame;
  return state.withArrays({ status, active }, ["status"], ({ status, active }) => {
    for (let s = 0; s < active.length; s++) {
      if (active[s] === 1 && targets.includes(status[s]!)) status[s] = 0;
    }
  });
}

/** Returns a function that tells whether a mark is written in a given step. */
export function isSetIn(step: number): (mark: Mark) => boolean {
  return ({ every, phase }) => step % every === phase;
}

/** Returns the buffers of some marks. */
export function buffersOf(marks: readonly Mark[]): Buffer<"i32">[] {
  return marks.map(({ converged }) => converged);
}

/** Returns a mask of the systems that are in at least one of several masks. */
export function maskOf(marked: readonly Int32Array[], systems: number): Int32Array {
  const mask = new Int32Array(systems);
  for (const marks of marked) {
    for (let s = 0; s < systems; s++) if (marks[s] !== 0) mask[s] = 1;
  }
  return mask;
}
