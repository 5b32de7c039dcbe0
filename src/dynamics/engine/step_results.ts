/**
 * What a step has come to, as the device or the host says it.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { after } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import { type DivergedDetails, DivergedError } from "../diverged_error.ts";
import { firstLost } from "./dynamics_checks.ts";
import type { StageNews } from "../stages/stage_changes.ts";
import type { Mark } from "./step_parts.ts";

/** What is known of a step when it is done. */
export interface News {
  /** The words of `Control`. */
  readonly control: Int32Array;
  /** 1 for each system that is updated. */
  readonly active: Int32Array;
  /** Where each system was in the step, and is now, in a run of stages. */
  readonly stages: StageNews | undefined;
  /** What was noted of systems that have converged, by each of the marks that were looked at. */
  readonly marked: readonly Int32Array[];
}

/** Whether a mark is set anew in a step. */
export function isOf(step: number): (mark: Mark) => boolean {
  return ({ every, phase }) => step % every === phase;
}

/** 1 for each system that one of them marks. */
export function maskOf(marked: readonly Int32Array[], systems: number): Int32Array {
  const mask = new Int32Array(systems);
  for (const marks of marked) {
    for (let s = 0; s < systems; s++) if (marks[s] !== 0) mask[s] = 1;
  }
  return mask;
}

/** What a DivergedError is to say, and who knows more. */
interface Naming {
  /** The engine. */
  readonly engine: string;
  /** The step. */
  readonly step: number;
  /** The model. */
  readonly model: string;
  /** What the model says of a system for which it gave what is not finite. */
  fault(system: number): Fault | PromiseLike<Fault>;
}

type Fault = string | undefined;

/** Throws a DivergedError where these words of `Control` say that a system has come apart. */
export function assertNoneLost(
  state: ResidentBatch,
  control: Int32Array,
  { engine, step, model, fault }: Naming,
): void | PromiseLike<void> {
  const lost = control[Control.DIVERGED]! - 1;
  if (lost < 0) return;
  const fail = (details: DivergedDetails) => {
    throw new DivergedError(engine, step, [lost], details);
  };
  if (control[Control.CAUSE] === 2) fail({ hasBonds: true });
  if (control[Control.CAUSE] !== 0) {
    return after<Fault, void>(fault(lost), (fault) => fail({ model, fault }));
  }
  return after(firstLost(state, lost), (atom) => fail({ atom }));
}
