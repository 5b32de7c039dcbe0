/**
 * Batches, all of them.
 *
 * @module
 */

import type { DataSource, TrainingBatch } from "../../../src/training/data/data_source.ts";

/** Batches of a source in an epoch, starting at a batch. */
export function gathered(
  source: Pick<DataSource, "batches">,
  epoch: number = 0,
  from: number = 0,
): Promise<TrainingBatch[]> {
  return Array.fromAsync(source.batches(epoch, from));
}

/** The numbers of one tensor, batch by batch. */
export async function numbersOf(
  source: Pick<DataSource, "batches">,
  name: string,
  epoch: number = 0,
  from: number = 0,
): Promise<number[][]> {
  const batches = await gathered(source, epoch, from);
  return batches.map(({ feeds }) => Array.from(feeds[name]!.data, Number));
}
