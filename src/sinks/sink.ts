/**
 * Interfaces of sinks, which store systems in memory or in files.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import type { RunFrame } from "../batch/resident/run_frame.ts";

/** Selection of systems of a batch: one flag per system, 1 or `true` if it is selected. */
export type SystemMask = ArrayLike<number | boolean>;

/** Accepts systems. Hooks need only these members of a sink. */
export interface SystemWriter {
  /** Copies the systems of a batch, or those that the mask selects. If it throws, no system is written. */
  write(batch: Batch, mask?: SystemMask): void | PromiseLike<void>;
  /**
   * Copies a frame of a run directly from the engine, which saves the copy of the batch for `write`. Returns `false`
   * if the sink cannot do so now; the hook then calls `write`.
   */
  writeFrame?(frame: RunFrame): false | void | PromiseLike<void>;
  /** Waits until all systems are stored. Hooks call it at the end of a run and before checkpoints. */
  flush?(): void | PromiseLike<void>;
  /** Opens existing content. From then on `length` is known. */
  open?(): void | PromiseLike<void>;
  /** Number of systems in the sink, including those not yet written; `undefined` while it is unknown. */
  readonly length?: number | undefined;
  /**
   * Removes all systems except the first `length`; does nothing if there are no more. A run that resumes from a
   * checkpoint writes the systems after the checkpoint again; without this function they would be stored twice.
   */
  truncate?(length: number): void | PromiseLike<void>;
}

/** Stores systems and reads them. Methods are synchronous or asynchronous, depending on the sink. */
export interface Sink extends SystemWriter {
  /** Number of systems. */
  readonly length: number;
  /** Largest number of systems; `Infinity` if there is no limit. */
  readonly capacity: number;
  /** True if the sink has reached its capacity. */
  readonly isFull: boolean;
  /**
   * Returns all systems in the order in which they were written, as one batch. Throws a RangeError if there
   * are no systems.
   */
  read(): Batch | PromiseLike<Batch>;
  /** Returns all systems as `read` does, and empties the sink. */
  drain(): Batch | PromiseLike<Batch>;
  /** Removes all systems. */
  clear(): void | PromiseLike<void>;
  /** Closes the sink. It accepts no more systems. */
  close(): void | PromiseLike<void>;
}

/** Selection of the systems of a sink. A missing member does not limit the selection. */
export interface Slice {
  /** Index of the first system, in the order of writing. */
  readonly from?: number;
  /** Index after the last system. */
  readonly to?: number;
  /** Interval of `time` in fs, both ends included. */
  readonly time?: readonly [from: number, to: number];
  /** Interval of `step`, both ends included. */
  readonly steps?: readonly [from: number, to: number];
  /** Ids of systems of the run: their `sourceId`, or `systemId` if they have no such field. */
  readonly systems?: readonly number[];
}

/**
 * A sink in a file or a folder. Flushed systems are stored, even if the process is killed afterwards. `await using`
 * closes it at the end of a block.
 */
export interface StoredSink extends Sink, AsyncDisposable {
  /** Path of the file or folder. */
  readonly path: string;
  /**
   * Opens existing content to append to it, or creates the file; the first `write` does the same. Incomplete data
   * that a killed process left is removed, with a warning.
   *
   * @throws {SyntaxError} if the file is damaged or of another format; the file stays unchanged
   * @throws {RangeError} if a newer version wrote the file
   * @throws {Error} if the file system refuses, with its `code` and its error as `cause`
   */
  open(): Promise<void>;
  /**
   * Copies systems at once and writes them in the background. If the queue is full, returns a promise that resolves
   * when it has room. Throws errors of earlier writes.
   */
  write(batch: Batch, mask?: SystemMask): void | Promise<void>;
  /**
   * Waits until all systems are on the disk. Throws the first write error that no earlier call has thrown.
   */
  flush(): Promise<void>;
  /** Returns the systems of a slice, without reading the others. Throws a RangeError if the slice selects no system. */
  slice(slice: Slice): Promise<Batch>;
  /**
   * Returns all systems in the order in which they were written, as one batch. Throws a RangeError if there
   * are no systems.
   */
  read(): Promise<Batch>;
  /** Returns all systems as `read` does, and empties the sink. */
  drain(): Promise<Batch>;
  /** Removes all systems. */
  clear(): Promise<void>;
  /** Removes all systems except the first `length`, after all pending systems are written. */
  truncate(length: number): Promise<void>;
  /** Writes pending systems and closes the file. The sink accepts no more systems. */
  close(): Promise<void>;
}
