/**
 * Several sources of batches as one.
 *
 * @module
 */

import type { DataSource, TrainingBatch } from "./data_source.ts";

/** A batch and its source. */
export interface NamedBatch {
  /** The batch. */
  readonly batch: TrainingBatch;
  /** Index of its source, from 0. */
  readonly loaderIndex: number;
  /** The name of its source. */
  readonly loaderName: string;
}

/** A source by its name. */
export interface NamedSource {
  /** Name. */
  readonly name: string;
  /** The source of its batches. */
  readonly source: DataSource;
}

/** Several sources as one. */
export interface NamedData {
  /** The sources, in order: `loaderIndex` counts them. */
  readonly loaders: readonly NamedSource[];
  /** Number of batches of an epoch, if all sources know theirs. */
  readonly length: number | undefined;
  /** Returns the batches of an epoch, from batch `from` on: always the same for the same epoch. */
  batches(epoch: number, from: number): AsyncIterable<NamedBatch>;
}
