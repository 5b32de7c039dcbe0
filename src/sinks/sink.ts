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
  /** Waits until all that was taken is where it is to be. Hooks ask for it when a run ends, and before checkpoints. */
  flush?(): void | PromiseLike<void>;
  /** Opens what is there: from then on `length` is known. */
  open?(): void | PromiseLike<void>;
  /** Number of systems in the sink, including those not yet written; `undefined` while it is unknown. */
  readonly length?: number | undefined;
  /**
   * Takes off all systems but the first so many, and nothing where there are no more. A run that goes on from a
   * checkpoint writes those after it again. Without it they would be there twice.
   */
  truncate?(length: number): void | PromiseLike<void>;
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

/** Which of the systems that a sink holds are meant; what is left out leaves none out. */
export interface Slice {
  /** From this place on, in the order in which they came. */
  readonly from?: number;
  /** To this place, which is not among them. */
  readonly to?: number;
  /** With a `time` in this interval, both ends included, fs. */
  readonly time?: readonly [from: number, to: number];
  /** With a `step` in this interval, both ends included. */
  readonly steps?: readonly [from: number, to: number];
  /** Of these systems of the run: their `sourceId`, or `systemId` where there is no such field. */
  readonly systems?: readonly number[];
}

/** A sink in a file or a folder. What was flushed is there for whoever opens it, whatever happens to the process. */
export interface StoredSink extends Sink {
  /** Where it is. */
  readonly path: string;
  /**
   * Opens what is there, to add to it, or makes it; the first `write` does so, too. What a kill has left unfinished is
   * removed, with a warning.
   *
   * @throws {SyntaxError} for what is there and is no such file, or damaged; it stays as it is
   * @throws {RangeError} for one of a newer version
   * @throws {Error} when the file system refuses, with its `code` and its error as `cause`
   */
  open(): Promise<void>;
  /** Takes a copy at once, and writes it in the background. Waits where too much is under way; throws what went wrong. */
  write(batch: Batch, mask?: SystemMask): void | Promise<void>;
  /** Waits until all that was taken is in the file, and safe. Throws what went wrong since somebody last asked. */
  flush(): Promise<void>;
  /** Some of the systems, read without the others. Throws a RangeError where there are none. */
  slice(slice: Slice): Promise<Batch>;
  /** All systems in the order in which they came, as one batch. Throws a RangeError when there are none. */
  read(): Promise<Batch>;
  /** The same, and the sink is empty afterwards. */
  drain(): Promise<Batch>;
  /** Forgets all systems. */
  clear(): Promise<void>;
  /** Forgets all systems but the first so many, once all that was taken is there. */
  truncate(length: number): Promise<void>;
  /** Writes what is left, and closes the file. From now on it takes no more. */
  close(): Promise<void>;
}
