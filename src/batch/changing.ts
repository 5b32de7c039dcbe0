/**
 * Batches whose systems are replaced during a run.
 *
 * @module
 */

import type { Batch } from "./batch.ts";

const CHANGING = new WeakSet<Batch>();

/**
 * Marks a batch as one whose systems are replaced during a run. `assertStays` then rejects lists with one value per
 * slot.
 */
export function markChanging(batch: Batch): void {
  CHANGING.add(batch);
}

/** Returns whether the systems of a batch are replaced during a run. */
export function isChanging(batch: Batch): boolean {
  return CHANGING.has(batch);
}

/**
 * Throws a TypeError if the systems of a batch are replaced during a run, because a list of values by slot would then
 * apply to other systems.
 */
export function assertStays(
  batch: Batch,
  action: string,
  requirement: string,
  length: number,
): void {
  if (!isChanging(batch)) return;
  throw new TypeError(
    `Cannot ${action}: ${requirement}, because systems are replaced during the run; got a list of length ${length}`,
  );
}
