/**
 * The content of a checkpoint of an engine.
 *
 * @module
 */

import type { SavedBatch } from "../../batch/saved/saved_batch.ts";
import type { SavedResident } from "../../batch/resident/snapshots.ts";
import type { SavedLoop } from "../../hooks/registry/saved.ts";
import type { SavedStream } from "../streaming/saved_stream.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** The version of {@linkcode SavedDynamics}; 1 had other names for its members. */
export const SCHEMA = 2;

/** The state of a run on its backend. */
export interface SavedRun {
  /** The batch on the backend: fields, the state of the integrator, pair lists. */
  readonly resident: SavedResident;
  /** True if the forces belong to the positions. */
  readonly isPrimed: boolean;
  /** Names of the hooks that modified the forces: with other hooks they are computed again. */
  readonly forceHooks: string;
  /** True if the energies belong to the positions. */
  readonly hasEnergy: boolean;
}

/** The state from which an engine goes on bitwise identically: plain data. */
export interface SavedDynamics extends SavedRun {
  /** Name of the integrator. */
  readonly integrator: string;
  /** Parameters of the integrator, if it lists them; older checkpoints have no parameters. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Steps done, and the state of the hooks. */
  readonly loop: SavedLoop;
  /** The batch on the host. */
  readonly batch: SavedBatch;
  /** The stream of the batch, if it has one. */
  readonly stream?: SavedStream;
}

/** Throws a TypeError for a value that `save` did not return, or that is of another integrator. */
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
