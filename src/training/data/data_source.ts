/**
 * Sources of batches.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";

/** Tensors of a batch by their names in the graph: inputs and targets. */
export type TrainingFeeds = Readonly<Record<string, HostFeed>>;

/** A batch of samples. */
export interface TrainingBatch {
  /** Inputs and targets of all samples. */
  readonly feeds: TrainingFeeds;
  /** Number of samples. */
  readonly size: number;
  /** Number of tokens, or of another unit of work. Absent if it is not counted. */
  readonly tokens?: number;
}

/** A source of batches. */
export interface DataSource {
  /** Name of the source, which distinguishes it from other sources. */
  readonly name?: string;
  /** Number of batches in an epoch; undefined if it is unknown. */
  readonly length: number | undefined;
  /**
   * Returns the batches of an epoch, beginning with batch `from`. They must be the same in each call for the same
   * epoch.
   *
   * @throws {RangeError} if `epoch` or `from` is not a non-negative integer
   */
  batches(epoch: number, from: number): Iterable<TrainingBatch> | AsyncIterable<TrainingBatch>;
  /**
   * Splits a batch into parts of about equal size, for workers; absent if batches cannot be split. A batch with fewer
   * samples than parts gives fewer parts.
   */
  split?(batch: TrainingBatch, parts: number): TrainingBatch[];
}

/** Throws a RangeError unless the epoch and the first batch are non-negative integers. */
export function checkPlace(epoch: unknown, from: unknown): void {
  for (const [what, value] of Object.entries({ epoch, "first batch": from })) {
    if (Number.isSafeInteger(value) && (value as number) >= 0) continue;
    throw new RangeError(
      `Cannot give batches: the ${what} must be a non-negative integer; got ${show(value)}`,
    );
  }
}
