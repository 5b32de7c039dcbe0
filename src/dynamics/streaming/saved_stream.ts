/**
 * The state of a stream of systems.
 *
 * @module
 */

import type { SavedClock } from "../engine/clock.ts";
import type { SavedSampler } from "./sampler.ts";
import { isObject } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";

/** A slot of the batch, and the system in it. */
export interface StreamSlot {
  /** Place in the source. */
  readonly index: number;
  /** Atoms. */
  readonly atoms: number;
  /** Edges. */
  readonly edges: number;
  /** Number of steps of the engine after which the system is finished at the latest. */
  readonly endsAt: number;
  /** The step in which the system has finished; -1 while it is active. */
  finishedAt: number;
  /** True if it has converged. */
  hasConverged: boolean;
  /** True if the system has been written to a sink, or has diverged and left. */
  isWritten: boolean;
  /** True if the system has diverged: it is not written to a sink. */
  hasDiverged: boolean;
  /** True if the system has no forces yet, because they are computed in the next step. */
  isEntering: boolean;
}

/** A system that has diverged, and the error. */
export interface StreamFailure {
  /** Place in the source. */
  readonly sourceIndex: number;
  /** The step of the engine in which it diverged; the step before its first if it never had forces. */
  readonly step: number;
  /** The message of the error that would have ended the stream. */
  readonly reason: string;
}

/** Counters of a stream. */
export interface StreamCounts {
  /** Admitted systems. */
  systems: number;
  /** Systems that were written. */
  graduated: number;
  /** Written systems that had converged. */
  converged: number;
  /** Diverged systems. */
  failures: readonly StreamFailure[];
  /** Steps of the engine. */
  steps: number;
  /** Number of refills. */
  refills: number;
  /** Filling of the batch, summed over the steps until the source was dry. */
  filled: number;
  /** Number of these steps. */
  fillable: number;
}

/** A stream as plain data. */
export interface SavedStream {
  /** The state of the sampler. */
  readonly sampler: SavedSampler;
  /** The system in each slot. */
  readonly slots: readonly StreamSlot[];
  /** The counters. */
  readonly counts: Readonly<StreamCounts>;
  /** Number of systems in each sink. */
  readonly lengths: readonly number[];
  /** The start of each system's clock. */
  readonly clock: SavedClock;
}

/** Throws a TypeError if a value is not the saved state of `size` slots. */
export function assertSlots(action: string, slots: unknown, size: number): void {
  const isCounted = Array.isArray(slots) && slots.length === size;
  if (!isCounted) {
    const count = Array.isArray(slots) ? slots.length : undefined;
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
