/**
 * Types of several sources of batches that are combined into one.
 *
 * @module
 */

import type { DataSource, TrainingBatch } from "./data_source.ts";

/** A batch, with the source that it comes from. */
export interface NamedBatch {
  /** The batch. */
  readonly batch: TrainingBatch;
  /** Index of its source, from 0. */
  readonly loaderIndex: number;
  /** Name of its source. */
  readonly loaderName: string;
}

/** A source of batches with a name. */
export interface NamedSource {
  /** Name of the source. */
  readonly name: string;
  /** The source. */
  readonly source: DataSource;
}

/** Several sources of batches that are combined into one. */
export interface NamedData {
  /** The sources; `loaderIndex` is an index into this list. */
  readonly loaders: readonly NamedSource[];
  /** Number of batches in an epoch; undefined unless the length of every source is known. */
  readonly length: number | undefined;
  /**
   * Returns the batches of an epoch, beginning with batch `from`. They are the same in each call for the same epoch.
   */
  batches(epoch: number, from: number): AsyncIterable<NamedBatch>;
}
