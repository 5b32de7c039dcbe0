/**
 * The results of a step, as the host or a device reports them.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { StageChanges } from "../stages/stage_changes.ts";
import type { Mark } from "./step_parts.ts";

/** The results of one step. */
export interface StepResults {
  /** Values of the control buffer, at the indices of `Control`. */
  readonly control: Int32Array;
  /** 1 for each system that is updated. */
  readonly active: Int32Array;
  /** The stage of each system in the step, and after it, in a run of stages. */
  readonly stages: StageChanges | undefined;
  /** The systems that have converged, by each of the marks that were read. */
  readonly marked: readonly Int32Array[];
}

/** Results in the frame of a batch before the first step of a run. */
export interface FirstLook {
  /** Values of the control buffer, at the indices of `Control`. */
  readonly control: Int32Array;
  /** True if a system is updated. */
  readonly isMoving: boolean;
  /** The most steps that a system has done. */
  readonly oldest: number;
}

/** Returns the results in the frame of a batch before the first step of a run. */
export function lookAt(state: ResidentBatch): FirstLook | PromiseLike<FirstLook> {
  const { control, active, ages } = state.frame;
  return state.withArrays({ control, active, ages }, [], ({ control, active, ages }) => ({
    control: control.slice(),
    isMoving: active.includes(1),
    oldest: ages.reduce((most, age) => Math.max(most, age), 0),
  }));
}

/** Sets the status of active systems to 0 if it is one of `targets`: they converged in an earlier run, or never. */
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

/** Returns a test for the marks that are set again in a step. */
export function isSetIn(step: number): (mark: Mark) => boolean {
  return ({ every, phase }) => step % every === phase;
}

/** Returns the buffers of some marks. */
export function buffersOf(marks: readonly Mark[]): Buffer<"i32">[] {
  return marks.map(({ converged }) => converged);
}

/** Returns a mask of the systems that one of the marks has. */
export function maskOf(marked: readonly Int32Array[], systems: number): Int32Array {
  const mask = new Int32Array(systems);
  for (const marks of marked) {
    for (let s = 0; s < systems; s++) if (marks[s] !== 0) mask[s] = 1;
  }
  return mask;
}
