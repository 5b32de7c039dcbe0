/**
 * The implementation that all sinks in files share: one queue, copies at the time of writing, and reading.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { batchOfData } from "../../batch/batch_of_data.ts";
import { completeArrays } from "../../batch/complete_arrays.ts";
import type { System } from "../../batch/system.ts";
import { checkLength, emptyError } from "../check_length.ts";
import type { CheckedPart } from "../damage.ts";
import { bytesOf, copySystems, FieldPattern } from "../copied_systems.ts";
import type { Slice, StoredSink, SystemMask } from "../sink.ts";
import { checkedSlice } from "../slice.ts";
import type { FrameStore } from "./frame_store.ts";
import { isMissing } from "./open_file.ts";
import { addOpenSink, removeOpenSink } from "./open_sinks.ts";
import { WriterQueue, type WriterQueueOptions } from "./writer_queue.ts";

/** Options of sinks in files. */
export interface FileSinkOptions extends WriterQueueOptions {
  /**
   * Function that receives warnings: the file ended with a part of a record, which was removed, or an integer
   * field that only some of the systems have is 0 in the others.
   *
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void;
}

/** Names of the options of every sink in a file. */
export const FILE_OPTIONS: readonly string[] = ["mostBytes", "onWarning"];

/**
 * Writes systems to a file of any format and reads them. A format implements {@linkcode FrameStore}, and its
 * sink passes that store to this class.
 *
 * @example
 * ```ts
 * import { Batch, type System } from "@hooke/hooke/batch";
 * import { FileSink, type FrameStore } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * class HeapStore implements FrameStore {
 *   #systems: System[] = [];
 *   get length() {
 *     return this.#systems.length;
 *   }
 *   async open() {}
 *   async append(batch: Batch, counted: () => void) {
 *     this.#systems.push(...batch.systems());
 *     counted();
 *   }
 *   async sync() {}
 *   async clear() {
 *     this.#systems = [];
 *   }
 *   async truncate(length: number) {
 *     this.#systems.length = length;
 *   }
 *   async close() {}
 *   async last() {
 *     return this.#systems.at(-1);
 *   }
 *   async *frames({ from = 0, to = Infinity }) {
 *     yield* this.#systems.slice(from, to);
 *   }
 * }
 *
 * class HeapSink extends FileSink {
 *   constructor(path: string) {
 *     super(path, new HeapStore());
 *   }
 * }
 *
 * await using sink = new HeapSink("argon.heap");
 * await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]));
 * assertEquals((await sink.read()).nodeCount, 1);
 * ```
 */
export class FileSink implements StoredSink, AsyncDisposable {
  /** Path of the file. */
  readonly path: string;
  /** Largest number of systems: unlimited. */
  readonly capacity: number = Infinity;
  /** Always `false`: there is no limit. */
  readonly isFull: boolean = false;
  readonly #store: FrameStore;
  readonly #queue: WriterQueue;
  readonly #onWarning: FileSinkOptions["onWarning"];
  readonly #pattern = new FieldPattern();
  /** Fields of the systems in the file and of those written since; `undefined` until the file was opened. */
  #stored: FieldPattern | undefined;
  #waiting = 0;
  #isClosed = false;

  /** Creates the sink. The file is opened by `open` or the first `write`. */
  constructor(path: string, store: FrameStore, { onWarning, ...options }: FileSinkOptions = {}) {
    this.path = path;
    this.#store = store;
    this.#onWarning = onWarning;
    this.#queue = new WriterQueue(options);
  }

  /** Number of systems in the file and in the queue. Systems in the file count once it was opened or read. */
  get length(): number {
    return this.#store.length + this.#waiting;
  }

  /**
   * Opens the file, or creates it.
   *
   * @throws {SyntaxError} if the file is damaged or of another format; the message names the line, and the file
   * stays unchanged
   * @throws {RangeError} if the file has another version, or is a table with other columns
   * @throws {Error} if the file system refuses, or the sink is closed
   */
  open(): Promise<void> {
    this.#checkOpen("open");
    return this.#inTurn(() => this.#open());
  }

  /**
   * Copies the systems of a batch at once and writes them in the background. If the queue is full, returns a promise
   * that resolves when it has room.
   *
   * @throws {TypeError} if `batch` is not a batch or `mask` not a mask, or if fields differ from those of earlier
   * systems
   * @throws {RangeError} if `mask` has another length than the batch
   * @throws {Error} if the sink is closed, or if writing earlier systems failed
   */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    this.#checkOpen("write to");
    const copy = copySystems(batch, mask, `write to ${this.path}`);
    if (copy === undefined) return;
    this.#queue.check(); // before any system is counted
    this.#pattern.join(copy);
    this.#waiting += copy.size;
    let waits = copy.size;
    const counted = () => {
      this.#waiting -= waits;
      waits = 0;
    };
    return this.#queue.add(async () => {
      try {
        await this.#open();
        this.#stored?.join(copy);
        await this.#store.append(copy, counted);
      } finally {
        counted();
      }
    }, bytesOf(copy));
  }

  /** Waits until all systems are in the file and on the disk. Throws the first write error that no earlier call has thrown. */
  async flush(): Promise<void> {
    // After an error, the remaining systems are synced before the error is thrown.
    const [before] = await Promise.allSettled([this.settle()]);
    const [after] = await Promise.allSettled([this.#inTurn(() => this.#store.sync())]);
    if (before.status === "rejected") throw before.reason;
    if (after.status === "rejected") throw after.reason;
  }

  /** Returns all systems as one batch. Throws a RangeError if there are no systems. */
  read(): Promise<Batch> {
    return this.slice({});
  }

  /** Returns the systems of a slice, without reading the others. Throws a RangeError if the slice selects no system. */
  async slice(slice: Slice): Promise<Batch> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    await this.#settleToRead();
    return await this.#inTurn(() => this.#batch(checked));
  }

  /** Yields the systems of a slice one by one, without holding them all in memory. */
  async *frames(slice: Slice = {}): AsyncGenerator<System, void> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    await this.#settleToRead();
    yield* this.#store.frames(checked);
  }

  /** Compares the parts of the file with their checksums, as `verifySink` does. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    await this.settle();
    if (this.#store.check === undefined) {
      throw new TypeError(`Cannot verify ${this.path}: its format has no checksums`);
    }
    yield* this.#store.check();
  }

  /** Returns all systems as one batch, and empties the file. */
  async drain(): Promise<Batch> {
    await this.#settleToRead();
    return await this.#inTurn(async () => {
      const all = await this.#batch({});
      await this.#clear();
      return all;
    });
  }

  /** Removes all systems from the file. */
  async clear(): Promise<void> {
    await this.settle();
    await this.#inTurn(() => this.#clear());
  }

  /** Removes all systems except the first `length`. Throws a RangeError if `length` is not a non-negative integer. */
  async truncate(length: number): Promise<void> {
    this.#checkOpen("truncate");
    checkLength(length, `truncate ${this.path}`);
    await this.settle();
    await this.#inTurn(async () => {
      await this.#store.open(); // without reading the last system, which may be among those to remove
      if (length >= this.#store.length) return;
      if (length === 0) return await this.#clear();
      this.#pattern.clear();
      this.#stored = undefined; // the last system is a different one now
      await this.#store.truncate(length);
    });
  }

  /** Writes the remaining systems and closes the file, which can still be read. */
  async close(): Promise<void> {
    if (this.#isClosed) return await this.settle();
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.#inTurn(() => this.#store.close());
      removeOpenSink(this);
    }
  }

  /** Closes the sink, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Waits until all pending writes are done. Throws the first write error that no earlier call has thrown. */
  protected settle(): Promise<void> {
    return this.#queue.flush();
  }

  /**
   * Waits for pending writes before a read. If the format cannot be read, throws that error first, so that
   * `flush` still throws the error of a failed write.
   */
  #settleToRead(): Promise<void> {
    this.#store.assertReadable?.();
    return this.settle();
  }

  #checkOpen(verb: string): void {
    if (!this.#isClosed) return;
    throw new Error(`Cannot ${verb} ${this.path}: the sink is closed`);
  }

  /** Runs work after all pending work. Its errors are thrown to its caller only. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const room = this.#queue.add(async () => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      }
    }, 0);
    const [result] = await Promise.all([promise, room]);
    return result;
  }

  async #open(): Promise<void> {
    if (this.#stored !== undefined) return await this.#store.open();
    const createsFile = await isMissing(this.path);
    await this.#store.open();
    let last: System | undefined;
    try {
      last = await this.#store.last();
    } catch (error) {
      await this.#store.close().catch(() => {}); // a refused file must not stay locked
      throw error;
    }
    addOpenSink(this, createsFile);
    this.#stored = new FieldPattern();
    if (last !== undefined) this.#stored.join(batchOfData([last]));
  }

  async #batch(slice: Slice): Promise<Batch> {
    const systems: System[] = [];
    for await (const system of this.#store.frames(slice)) systems.push(system);
    if (systems.length > 0) return batchOfData(completeArrays(systems, this.#onWarning));
    if (this.length === 0) throw emptyError(this.path);
    throw new RangeError(
      `Cannot read ${this.path}: the slice must include at least one of its ${this.length} systems`,
    );
  }

  async #clear(): Promise<void> {
    this.#pattern.clear();
    this.#stored?.clear();
    await this.#store.clear();
  }
}
