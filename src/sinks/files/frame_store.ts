/**
 * Interface between a sink and its file of systems.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import type { CheckedPart } from "../damage.ts";
import type { Slice } from "../sink.ts";

/**
 * A file of systems. Each format implements this interface for a {@linkcode FileSink}. The methods are called one at
 * a time, except `frames`, which may run beside them.
 */
export interface FrameStore {
  /** Number of systems in the file; 0 until the file is opened or read. */
  readonly length: number;
  /** Opens or creates the file, to append to it. Does nothing if it is open. */
  open(): Promise<void>;
  /** Appends all systems of a batch. If it throws, no system is stored. Calls `counted` once `length` includes them. */
  append(batch: Batch, counted: () => void): Promise<void>;
  /** Syncs appended systems to the disk. */
  sync(): Promise<void>;
  /** Removes all systems. */
  clear(): Promise<void>;
  /** Removes all systems except the first `length`, of an open file that has more. */
  truncate(length: number): Promise<void>;
  /** Closes the file. It can still be read, and opened again. */
  close(): Promise<void>;
  /** Returns the last system, or `undefined` if the file is empty or the format cannot be read. */
  last(): Promise<System | undefined>;
  /**
   * Compares the parts of the file with their checksums. A store without this function cannot be verified.
   */
  check?(): AsyncIterable<CheckedPart>;
  /** Throws a TypeError if the format cannot be read. A store without this function can be read. */
  assertReadable?(): void;
  /** Returns the systems of a slice, one by one. */
  frames(slice: Slice): AsyncIterable<System>;
}
