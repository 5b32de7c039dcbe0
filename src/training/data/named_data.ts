/**
 * What several sources give together.
 *
 * @module
 */

import type { DataSource, TrainingBatch } from "./data_source.ts";

/** A batch, and where it comes from. */
export interface NamedBatch {
  /** The batch. */
  readonly batch: TrainingBatch;
  /** The place of its source, 0 first. */
  readonly loaderIndex: number;
  /** The name of its source. */
  readonly loaderName: string;
}

/** A source by its name. */
export interface NamedSource {
  /** What it is called. */
  readonly name: string;
  /** Where its batches come from. */
  readonly source: DataSource;
}

/** Several sources as one. */
export interface NamedData {
  /** The sources, in order: `loaderIndex` counts them. */
  readonly loaders: readonly NamedSource[];
  /** Batches of an epoch, where all sources know theirs. */
  readonly length: number | undefined;
  /** The batches of an epoch, from batch `from` on: the same for the same epoch, however often it is asked. */
  batches(epoch: number, from: number): AsyncIterable<NamedBatch>;
}
