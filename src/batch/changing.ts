/**
 * Batches whose systems come and go.
 *
 * @module
 */

import type { Batch } from "./batch.ts";

const CHANGING = new WeakSet<Batch>();

/** From now on what is said by place means nothing there. */
export function markChanging(batch: Batch): void {
  CHANGING.add(batch);
}

/** Whether places of a batch have other systems in the course of a run. */
export function isChanging(batch: Batch): boolean {
  return CHANGING.has(batch);
}

/** Throws a TypeError where systems come and go: a list by place must be something else there. */
export function assertStays(
  batch: Batch,
  action: string,
  requirement: string,
  length: number,
): void {
  if (!isChanging(batch)) return;
  throw new TypeError(
    `Cannot ${action} as ${requirement}, where systems come and go: current value is a list of ${length} by place`,
  );
}
