/**
 * The results of a step, as the host or a device reports them.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { StageChanges } from "../stages/stage_changes.ts";
import type { Mark } from "./step_parts.ts";

/** The results of one step. */
export interface StepResults {
  /** The words of `Control`. */
  readonly control: Int32Array;
  /** 1 for each system that is updated. */
  readonly active: Int32Array;
  /** The stage of each system in the step, and after it, in a run of stages. */
  readonly stages: StageChanges | undefined;
  /** The systems that have converged, by each of the marks that were read. */
  readonly marked: readonly Int32Array[];
}

/** Returns a test for the marks that are set anew in a step. */
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
