/**
 * State of a stream of systems.
 *
 * @module
 */

import type { SavedClock } from "../engine/clock.ts";
import type { SavedSampler } from "./sampler.ts";
import { isObject } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";

/** A slot of the batch, with the system in it. */
export interface StreamSlot {
  /** Index of the system in the source. */
  readonly index: number;
  /** Number of atoms. */
  readonly atoms: number;
  /** Number of edges. */
  readonly edges: number;
  /** Number of steps of the engine after which the system is finished at the latest; Infinity without a limit. */
  readonly endsAt: number;
  /** Step of the engine in which the system has finished; −1 while it is active. */
  finishedAt: number;
  /** True if the system has converged. */
  hasConverged: boolean;
  /** True if the system has been written to a sink, or has diverged and was removed. */
  isWritten: boolean;
  /** True if the system has diverged. It is then not written to a sink. */
  hasDiverged: boolean;
  /** True if the system has no forces yet, because they are computed in the next step. */
  isEntering: boolean;
}

/** A system that has diverged and was dropped. */
export interface StreamFailure {
  /** Index of the system in the source. */
  readonly sourceIndex: number;
  /**
   * Step of the engine in which the system diverged. If its first forces were invalid, the step before its first one.
   */
  readonly step: number;
  /** Message of the error, which would have ended the stream without `onDiverged: "drop"`. */
  readonly reason: string;
}

/** Counters of a stream. */
export interface StreamCounts {
  /** Number of systems that were admitted. */
  systems: number;
  /** Number of systems that were written to sinks. */
  graduated: number;
  /** Number of written systems that had converged. */
  converged: number;
  /** Systems that have diverged. */
  failures: readonly StreamFailure[];
  /** Number of steps that the engine has done. */
  steps: number;
  /** Number of refills. */
  refills: number;
  /** Sum over steps of how full the batch was, from 0 to 1 each, until all samples were taken. */
  filled: number;
  /** Number of steps in the sum `filled`. */
  fillable: number;
}

/** State of a stream, as plain data. */
export interface SavedStream {
  /** State of the sampler. */
  readonly sampler: SavedSampler;
  /** The system in each slot. */
  readonly slots: readonly StreamSlot[];
  /** Counters of the stream. */
  readonly counts: Readonly<StreamCounts>;
  /** Number of systems in each sink; −1 if it is unknown. */
  readonly lengths: readonly number[];
  /** State of the clock of the batch. */
  readonly clock: SavedClock;
}

/** Throws a TypeError if a value is not the saved state of a batch with `size` slots. */
export function assertSlots(action: string, slots: unknown, size: number): void {
  const isCounted = Array.isArray(slots) && slots.length === size;
  if (!isCounted) {
    const count = Array.isArray(slots) ? `one for ${slots.length}` : undefined;
    throw new TypeError(
      `Cannot ${action}: the state must be a result of save() for ${size} systems; got ${
        count ?? show(slots)
      }`,
    );
  }
  const unknown = slots.findIndex((slot) => !isSlot(slot));
  if (unknown < 0) return;
  const requirement = `slot ${unknown} of the state must be a result of save()`;
  throw new TypeError(complaint(action, requirement, slots[unknown]));
}

function isSlot(slot: unknown): boolean {
  if (!isObject(slot)) return false;
  const { index, atoms, edges, endsAt, finishedAt } = slot;
  const { hasConverged, isWritten, hasDiverged, isEntering } = slot;
  return [index, atoms, edges, endsAt, finishedAt].every((one) => typeof one === "number") &&
    [hasConverged, isWritten, hasDiverged, isEntering].every((one) => typeof one === "boolean");
}
