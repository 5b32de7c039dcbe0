/**
 * Batches of the structures that a command has read.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { PROGRESS_FIELDS, RESULT_FIELDS } from "../../batch/fields/run_fields.ts";
import { storeOf, type System, systemOf } from "../../batch/system.ts";
import type { Structure } from "./structures.ts";

/**
 * Returns the structures as one batch that no run has changed yet. The energies, forces and stresses of their files are
 * removed, and so is the progress of earlier runs; with `dropVelocities` also the velocities. The key `file` of `info` names
 * the file and the frame, so that messages and results show them.
 */
export function batchOf(
  structures: readonly Structure[],
  { dropVelocities = false }: { readonly dropVelocities?: boolean } = {},
): Batch {
  const dropped = new Set([...PROGRESS_FIELDS, ...RESULT_FIELDS]);
  if (dropVelocities) { for (const name of ["velocities", "dofRemoved"]) dropped.add(name); }
  return Batch.from(structures.map(({ system, label }) => without(system, dropped, label)));
}

/** Returns a structure without the fields and results of an earlier run and without velocities, with its label in `info.file`. */
export function strippedStructure(structure: Structure): Structure {
  const dropped = new Set([...PROGRESS_FIELDS, ...RESULT_FIELDS, "velocities", "dofRemoved"]);
  return { ...structure, system: without(structure.system, dropped, structure.label) };
}

/** Returns the systems of a batch without the fields of a run. */
export function resultsOf(batch: Batch, isMoving: boolean): System[] {
  const dropped = new Set(PROGRESS_FIELDS);
  if (!isMoving) { for (const name of ["velocities", "dofRemoved"]) dropped.add(name); }
  return batch.systems().map((system) => without(system, dropped));
}

function without(system: System, dropped: ReadonlySet<string>, file?: string): System {
  const store = storeOf(system);
  const fields = new Map([...store.fields].filter(([name]) => !dropped.has(name)));
  const kept = store.infos.map((info) =>
    Object.fromEntries(Object.entries(info).filter(([name]) => !dropped.has(name)))
  );
  const infos = file === undefined ? store.infos : [{ ...kept[0], file }];
  return systemOf({ ...store, fields, infos });
}
