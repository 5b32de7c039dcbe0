/**
 * Where batches come from.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";

/** Tensors by the names the graph has for them: inputs and targets alike. */
export type TrainingFeeds = Readonly<Record<string, HostFeed>>;

/** One batch. */
export interface TrainingBatch {
  /** Its tensors. */
  readonly feeds: TrainingFeeds;
  /** How many samples they are. */
  readonly size: number;
  /** How many tokens they are, or whatever else work is counted in. */
  readonly tokens?: number;
}

/** Where batches come from. */
export interface DataSource {
  /** What it is called where there are several. */
  readonly name?: string;
  /** Batches of an epoch, where it is known. */
  readonly length: number | undefined;
  /**
   * The batches of an epoch, from batch `from` on: the same for the same epoch, however often it is asked.
   *
   * @throws {RangeError} for numbers that are not whole, or below 0
   */
  batches(epoch: number, from: number): Iterable<TrainingBatch> | AsyncIterable<TrainingBatch>;
  /**
   * The same batch as parts of about equal size, for workers; absent where batches cannot be split. A batch of fewer
   * samples than parts comes in fewer parts.
   */
  split?(batch: TrainingBatch, parts: number): TrainingBatch[];
}

/** Throws a RangeError for an epoch or a batch that there cannot be. */
export function checkPlace(epoch: unknown, from: unknown): void {
  for (const [what, value] of Object.entries({ epoch, "first batch": from })) {
    if (Number.isSafeInteger(value) && (value as number) >= 0) continue;
    throw new RangeError(
      `Cannot give batches as the ${what} must be a whole number from 0 on: current value is ${
        show(value)
      }`,
    );
  }
}
