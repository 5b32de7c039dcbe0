/**
 * What a checkpoint keeps of an engine.
 *
 * @module
 */

import type { SavedBatch } from "../../batch/saved/saved_batch.ts";
import type { SavedResident } from "../../batch/resident/snapshots.ts";
import type { SavedLoop } from "../../hooks/registry/saved.ts";
import type { SavedStream } from "../streaming/saved_stream.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/** The version of {@linkcode SavedDynamics}. */
export const SCHEMA = 1;

/** What a run has on its backend. */
export interface SavedRun {
  /** The batch as the backend has it: fields, the scheme's state, how pairs were found. */
  readonly resident: SavedResident;
  /** Whether the forces are those of the positions. */
  readonly isPrimed: boolean;
  /** Names of the hooks that modified the forces: with other hooks they are computed anew. */
  readonly forceHooks: string;
  /** Whether the energies are. */
  readonly hasEnergy: boolean;
}

/** All that an engine needs to go on to the bit: plain data. */
export interface SavedDynamics extends SavedRun {
  /** The scheme. */
  readonly integrator: string;
  /** Steps done, and the hooks' own state. */
  readonly loop: SavedLoop;
  /** The batch as the host has it. */
  readonly batch: SavedBatch;
  /** The stream of systems that it is of, if it is. */
  readonly stream?: SavedStream;
}

/** Throws a TypeError for what `save` did not give, or what another scheme did. */
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
      complaint(`load into ${engine}`, "its state must be what save() gave", saved),
    );
  }
  if (saved.integrator === integrator) return;
  throw new TypeError(
    `Cannot load into ${engine} as the state must be of its scheme, ${integrator}: current value is ${
      String(saved.integrator)
    }`,
  );
}

function isResident(saved: unknown): boolean {
  return isObject(saved) && ArrayBuffer.isView(saved.active) &&
    [saved.fields, saved.states, saved.pairs].every(isObject);
}
