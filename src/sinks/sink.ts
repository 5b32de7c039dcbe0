/**
 * Where systems are kept: what every sink can do.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";

/** Which systems of a batch are meant: one flag for each, 1 or `true` for those that are. */
export type SystemMask = ArrayLike<number | boolean>;

/** What takes systems. All that hooks need of a sink. */
export interface SystemWriter {
  /**
   * Takes a copy of the systems of a batch, or of those that the mask marks: all of them, or none when it throws.
   */
  write(batch: Batch, mask?: SystemMask): void | PromiseLike<void>;
  /** Waits until all that was taken is where it is to be. Hooks ask for it when a run ends. */
  flush?(): void | PromiseLike<void>;
}

/** A place to keep systems in. Those of one kind of sink may answer at once, those of another later. */
export interface Sink extends SystemWriter {
  /** How many systems it holds. */
  readonly length: number;
  /** How many it can hold; `Infinity` where there is no limit. */
  readonly capacity: number;
  /** Whether it can take no more. */
  readonly isFull: boolean;
  /** All systems in the order in which they came, as one batch. Throws a RangeError when there are none. */
  read(): Batch | PromiseLike<Batch>;
  /** The same, and the sink is empty afterwards. */
  drain(): Batch | PromiseLike<Batch>;
  /** Forgets all systems. */
  clear(): void | PromiseLike<void>;
  /** From now on it takes no more. */
  close(): void | PromiseLike<void>;
}
