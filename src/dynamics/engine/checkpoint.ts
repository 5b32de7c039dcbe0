/**
 * Content of the checkpoints of dynamics engines.
 *
 * @module
 */

import type { SavedBatch } from "../../batch/saved/saved_batch.ts";
import type { SavedResident } from "../../batch/resident/snapshots.ts";
import type { SavedLoop } from "../../hooks/registry/saved.ts";
import type { SavedStream } from "../streaming/saved_stream.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** Version of {@linkcode SavedDynamics}. In version 1 its members had other names. */
export const SCHEMA = 2;

/** The state of a run on its backend. */
export interface SavedRun {
  /** The batch on the backend: fields, the states of the integrator, and pair lists. */
  readonly resident: SavedResident;
  /** True if the forces belong to the current positions. */
  readonly isPrimed: boolean;
  /**
   * Names of the hooks that modified the forces. If an engine with other hooks loads the state, it recomputes the
   * forces.
   */
  readonly forceHooks: string;
  /** True if the energies belong to the current positions. */
  readonly hasEnergy: boolean;
}

/** The state from which an engine continues bitwise identically, as plain data. */
export interface SavedDynamics extends SavedRun {
  /** Name of the integrator. */
  readonly integrator: string;
  /**
   * Parameters of the integrator; `undefined` in checkpoints of older versions, and for integrators that do not list
   * their parameters.
   */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Number of steps done, and the states of the hooks. */
  readonly loop: SavedLoop;
  /** The batch on the host. */
  readonly batch: SavedBatch;
  /** The stream to which the batch belongs, if any. */
  readonly stream?: SavedStream;
}

/** Throws a TypeError if a value is not a result of `save`, or belongs to another integrator. */
export function assertSaved(
  engine: string,
  integrator: string,
  saved: unknown,
): asserts saved is SavedDynamics {
  const isSaved = isObject(saved) && isObject(saved.loop) && isObject(saved.batch) &&
    isResident(saved.resident) && typeof saved.isPrimed === "boolean" &&
    typeof saved.hasEnergy === "boolean" && typeof saved.forceHooks === "string";
  if (!isSaved) {
    throw new TypeError(
      complaint(`load into ${engine}`, "the state must be a result of save()", saved),
    );
  }
  if (saved.integrator === integrator) return;
  throw new TypeError(
    `Cannot load into ${engine}: the state must come from ${integrator}; got a state of ${
      String(saved.integrator)
    }`,
  );
}

function isResident(saved: unknown): boolean {
  return isObject(saved) && ArrayBuffer.isView(saved.active) &&
    [saved.fields, saved.states, saved.pairs].every(isObject);
}
