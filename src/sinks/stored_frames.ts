/**
 * What all sinks in files have in common: one queue, copies taken at once, and reading what is there.
 *
 * @module
 */

import { Batch } from "../batch/batch.ts";
import type { System } from "../batch/system.ts";
import type { Slice, SystemMask } from "./sink.ts";
import { checkedSlice } from "./slice.ts";
import { checkLength } from "./check_length.ts";
import { FieldPattern, taken } from "./copied_systems.ts";
import { WriterQueue, type WriterQueueOptions } from "./writer_queue.ts";

/** A file of systems, as a sink uses it: one call at a time but for `frames`, which goes on beside them. */
export interface FrameStore {
  /** How many systems are in it, as far as is known before it was looked at. */
  readonly length: number;
  /** Opens or makes it, to add to it. Nothing happens when it is open. */
  open(): Promise<void>;
  /** Adds systems: all, or none when it throws. Calls back when `length` counts them. */
  append(batch: Batch, counted: () => void): Promise<void>;
  /** Has the disk take it. */
  sync(): Promise<void>;
  /** Takes all systems away. */
  clear(): Promise<void>;
  /** Takes all systems away but the first so many, of an open file that has more. */
  truncate(length: number): Promise<void>;
  /** Closes it: it can still be read, and opened again. */
  close(): Promise<void>;
  /** The system that was added last, or `undefined` for none, and where none can be read back. */
  last(): Promise<System | undefined>;
  /** Some of its systems, one by one. */
  frames(slice: Slice): AsyncIterable<System>;
}

/** A sink over a file of systems. */
export class StoredFrames {
  readonly #path: string;
  readonly #store: FrameStore;
  readonly #queue: WriterQueue;
  readonly #pattern = new FieldPattern();
  /** The same with what the file already held, once it was asked. */
  #stored: FieldPattern | undefined;
  #waiting = 0;
  #isClosed = false;

  constructor(path: string, store: FrameStore, options: WriterQueueOptions = {}) {
    this.#path = path;
    this.#store = store;
    this.#queue = new WriterQueue(options);
  }

  /** Systems in the file and on the way to it. */
  get length(): number {
    return this.#store.length + this.#waiting;
  }

  open(): Promise<void> {
    this.#checkOpen("open");
    return this.#inTurn(() => this.#open());
  }

  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    this.#checkOpen("write to");
    const copy = taken(batch, mask, `write to ${this.#path}`);
    if (copy === undefined) return;
    this.#queue.check(); // before anything is kept of it
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

  /** Whatever went wrong before, the rest is made safe first. */
  async flush(): Promise<void> {
    const [before] = await Promise.allSettled([this.#queue.flush()]);
    const [after] = await Promise.allSettled([this.#inTurn(() => this.#store.sync())]);
    if (before.status === "rejected") throw before.reason;
    if (after.status === "rejected") throw after.reason;
  }

  /** Waits until nothing is under way. */
  settle(): Promise<void> {
    return this.#queue.flush();
  }

  async *frames(slice: Slice): AsyncGenerator<System, void> {
    const checked = checkedSlice(slice, `read ${this.#path}`);
    await this.#queue.flush();
    yield* this.#store.frames(checked);
  }

  async slice(slice: Slice): Promise<Batch> {
    const checked = checkedSlice(slice, `read ${this.#path}`);
    await this.#queue.flush();
    return await this.#inTurn(() => this.#batch(checked));
  }

  async drain(): Promise<Batch> {
    await this.#queue.flush();
    return await this.#inTurn(async () => {
      const all = await this.#batch({});
      await this.#clear();
      return all;
    });
  }

  async clear(): Promise<void> {
    await this.#queue.flush();
    await this.#inTurn(() => this.#clear());
  }

  async truncate(length: number): Promise<void> {
    this.#checkOpen("truncate");
    checkLength(length, `truncate ${this.#path}`);
    await this.#queue.flush();
    await this.#inTurn(async () => {
      await this.#open();
      if (length >= this.#store.length) return;
      if (length === 0) return await this.#clear();
      this.#pattern.clear();
      this.#stored = undefined; // the last one is another now
      await this.#store.truncate(length);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return await this.#queue.flush();
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.#inTurn(() => this.#store.close());
    }
  }

  #checkOpen(verb: string): void {
    if (!this.#isClosed) return;
    throw new Error(`Cannot ${verb} ${this.#path} as it must be open: it was closed`);
  }

  /** Work after all that waits. What it throws is its caller's, nobody else's. */
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
    await this.#store.open();
    if (this.#stored !== undefined) return;
    const last = await this.#store.last();
    this.#stored = new FieldPattern();
    if (last !== undefined) this.#stored.join(Batch.from(last));
  }

  async #batch(slice: Slice): Promise<Batch> {
    const systems: System[] = [];
    for await (const system of this.#store.frames(slice)) systems.push(system);
    if (systems.length > 0) return Batch.from(systems);
    throw new RangeError(
      `Cannot read ${this.#path} as a system or more must be meant, and none is: current length is ${this.length}`,
    );
  }

  async #clear(): Promise<void> {
    this.#pattern.clear();
    this.#stored?.clear();
    await this.#store.clear();
  }
}

/** About as many bytes as its arrays take. */
function bytesOf(batch: Batch): number {
  return batch.fields().reduce((sum, { name }) => sum + batch.get(name).byteLength, 0);
}
