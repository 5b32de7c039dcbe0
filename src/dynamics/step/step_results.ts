/**
 * The results of a step, as the host or a device reports them.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { after } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import { type DivergedDetails, DivergedError } from "../diverged_error.ts";
import type { StageChanges } from "../stages/stage_changes.ts";
import { lostPairs } from "./lost_pairs.ts";
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

/** The names in a DivergedError, and the model's own explanation. */
interface Naming {
  /** The engine. */
  readonly engine: string;
  /** The step. */
  readonly step: number;
  /** The model. */
  readonly model: string;
  /** Returns the model's explanation of a system for which it gave values that are not finite. */
  fault(system: number): Fault | PromiseLike<Fault>;
}

type Fault = string | undefined;

/** Throws a DivergedError, or rejects with it, if these words of `Control` say that a system has diverged. */
export function assertNoneDiverged(
  state: ResidentBatch,
  control: Int32Array,
  { engine, step, model, fault }: Naming,
): void | PromiseLike<void> {
  const system = control[Control.DIVERGED]! - 1;
  if (system < 0) return;
  const fail = (details: DivergedDetails) => {
    throw new DivergedError(engine, step, [system], details);
  };
  if (control[Control.CAUSE] === 2) fail({ hasBonds: true });
  if (control[Control.CAUSE] !== 0) {
    return after<Fault, void>(fault(system), (fault) => fail({ model, fault }));
  }
  return after(lostPairs(state, system), fail);
}
