/**
 * The store of a sink: opened on first use, written in the background, and read in its current state.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import { makeFolder } from "../../base/durable_folder.ts";
import { HeldPath } from "../files/held_path.ts";
import { checkLength, emptyError, fullError } from "../check_length.ts";
import type { SystemMask } from "../sink.ts";
import { bytesOf, copySystems, FieldPattern } from "../copied_systems.ts";
import { WriterQueue } from "../files/writer_queue.ts";
import { type Host, openHost } from "./files.ts";
import { checkVacant, lowerSystemCount, makeStore, resumeStore } from "./open_store.ts";
import { withPath } from "./store_errors.ts";
import { KeptFields } from "./known_fields.ts";
import { SeenView } from "./seen_view.ts";
import { StoreView } from "./store_view.ts";
import type { StoreWriter, WriterSetting } from "./store_writer.ts";
import { readOptions, type ZarrSinkOptions } from "./zarr_options.ts";

/**
 * Time in ms between the beginnings of two commits while systems are written. A commit that takes longer delays the next
 * one until it is complete. The time does not depend on how long earlier commits took: most of their time by the clock
 * is the time that the run takes between turns of the event loop, not that of the disk.
 */
const COMMIT_EVERY = 1000;

/** Implementation of `ZarrSink`, apart from the selection of systems to read. */
export class WrittenStore {
  readonly path: string;
  readonly capacity: number;
  readonly #options: ReturnType<typeof readOptions>;
  readonly #kept: KeptFields;
  readonly #queue: WriterQueue;
  readonly #held: HeldPath;
  /** Fields of the batches that were written before the store was open. */
  readonly #pattern = new FieldPattern();
  #host: Host | undefined;
  #writer: StoreWriter | undefined;
  readonly #seen: SeenView;
  #length = 0;
  /**
   * Number of systems in the queue, and number of reasons why further batches must be enqueued. A reason is a waiting
   * batch, or exclusive work such as `clear`.
   */
  readonly #queued = { systems: 0, reasons: 0 };
  #lastCommit = -Infinity;
  /** Receives work instead of the queue while a batch is added within a turn of the queue. */
  #inline: (() => Promise<void>)[] | undefined;

  constructor(path: string, options: ZarrSinkOptions) {
    this.path = path.replace(/\/+$/, "");
    this.#held = new HeldPath(this.path);
    this.#seen = new SeenView(this.path);
    this.#options = readOptions(options);
    const { fields, capacity } = this.#options;
    this.capacity = capacity;
    this.#kept = new KeptFields(fields);
    this.#queue = new WriterQueue(this.#options);
  }

  /** Number of systems in the store and in the queue. Systems in the store count once it was opened or read. */
  get length(): number {
    return (this.#writer?.size ?? this.#length) + this.#queued.systems;
  }

  /** Opens or creates the store. */
  open(): Promise<void> {
    return this.#inTurn(() => this.#open());
  }

  /** Copies systems: directly into the chunks if the store is open, otherwise into the queue. */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    const isWhole = mask === undefined && this.#ready !== undefined && batch instanceof Batch &&
      batch.heldBy === undefined;
    const own = isWhole ? batch : copySystems(batch, mask, `write to ${this.path}`);
    if (own === undefined) return;
    this.#queue.check(); // before any system is added
    this.#checkRoom(own.size);
    if (this.#writer?.isBroken) this.#closeBroken(this.#writer);
    const writer = this.#ready;
    if (writer === undefined) return this.#addLater(own);
    this.#add(writer, own);
    return this.#queue.room();
  }

  /**
   * Copies a frame of a run directly into the chunks. Returns `false` if work waits in the queue, which must be done
   * before.
   */
  writeFrame(frame: RunFrame): false | void | Promise<void> {
    this.#queue.check();
    const writer = this.#ready;
    if (writer === undefined) return false;
    this.#checkRoom(frame.size);
    this.#add(writer, frame);
    return this.#queue.room();
  }

  /** Waits until all systems written so far are part of the store. */
  async flush(): Promise<void> {
    this.#held.assertThere();
    await this.#queue.flush();
    this.#commit();
    await this.#queue.flush();
  }

  /**
   * Reads the systems with the indices that `find` returns for the current store, which includes all systems written
   * so far. If there is no store, `view` is `undefined`. Nothing is written during the read.
   */
  async read(
    find: (view: StoreView | undefined) => readonly number[] | Promise<readonly number[]>,
  ): Promise<Batch> {
    await this.flush();
    return await this.#inTurn(() => withPath(this.path, "read", () => this.#read(find)));
  }

  /** Removes all systems written so far. Systems that are written meanwhile stay. */
  clear(): Promise<void> {
    return this.#exclusively(() => this.#clear());
  }

  /** Removes all systems except the first `length`. */
  truncate(length: number): Promise<void> {
    checkLength(length, `truncate ${this.path}`);
    return this.#exclusively(async () => {
      const writer = await this.#ownWriter();
      if (length >= writer.size) return;
      if (length === 0) return await this.#clear();
      await withPath(this.path, "truncate", async () => {
        await writer.close();
        await this.#shorten(length);
      });
    });
  }

  /** Removes all systems, as `clear` does, and returns them. */
  drain(): Promise<Batch> {
    return this.#exclusively(async () => {
      const all = await withPath(this.path, "read", () => this.#read(placesIn));
      await this.#clear();
      return all;
    });
  }

  /** Waits until the queue is empty. Throws the first write error that no earlier call has thrown. */
  settle(): Promise<void> {
    return this.#queue.flush();
  }

  /** Closes all files. The store can still be read. */
  async close(): Promise<void> {
    const writer = this.#writer, length = writer?.size ?? this.#length;
    this.#reset();
    this.#length = length;
    try {
      await withPath(this.path, "close", async () => await writer?.close());
    } finally {
      this.#held.release();
    }
  }

  /**
   * The writer, if batches may be added to it directly; `undefined` if work waits in the queue or the writer is
   * broken.
   */
  get #ready(): StoreWriter | undefined {
    return this.#queued.reasons > 0 || this.#writer?.isBroken ? undefined : this.#writer;
  }

  #checkRoom(count: number): void {
    if (this.length + count <= this.capacity) return;
    throw fullError(`write to ${this.path}`, count, this);
  }

  #add(writer: StoreWriter, systems: Batch | RunFrame): void {
    writer.add(systems, this.#kept.of(systems.fields()));
    this.#seen.drop();
    // `Date.now`, because Deno's `performance.now` costs as much as a frame of few atoms. Clocks may be set back.
    if (Math.abs(Date.now() - this.#lastCommit) < COMMIT_EVERY || writer.isCommitting) return;
    this.#commit();
  }

  #addLater(batch: Batch): void | Promise<void> {
    this.#pattern.join(batch);
    this.#queued.systems += batch.size;
    this.#queued.reasons++;
    return this.#queue.add(async () => {
      try {
        await this.#addNow(await this.#ownWriter(), batch);
      } finally {
        this.#queued.systems -= batch.size;
        this.#queued.reasons--;
      }
    }, bytesOf(batch));
  }

  /**
   * Adds a batch within a turn of the queue. Chunks that become full are written in the same turn: behind
   * later work in the queue they would be out of order.
   */
  async #addNow(writer: StoreWriter, batch: Batch): Promise<void> {
    const works: (() => Promise<void>)[] = this.#inline = [];
    try {
      this.#add(writer, batch);
    } finally {
      this.#inline = undefined;
    }
    for (const work of works) await work();
  }

  #commit(): void {
    if (this.#writer === undefined || this.#writer.isUpToDate) return;
    this.#lastCommit = Date.now();
    this.#seen.drop();
    this.#writer.commit();
  }

  async #open(): Promise<void> {
    if (this.#writer !== undefined) return;
    const host = this.#host ??= openHost(`open ${this.path}`);
    await makeFolder(host.fs, this.path).catch(() => {}); // the following steps report the error
    this.#held.hold(); // before the store is read: data that another sink is writing must not be removed
    try {
      await withPath(this.path, "open", () => this.#openHeld(host));
    } catch (error) {
      this.#held.release();
      throw error;
    }
  }

  async #openHeld(host: Host): Promise<void> {
    const view = await StoreView.open(host, this.path);
    if (view?.root.isOurs !== false) return await this.#startWriting(this.#setting(host), view);
    this.#length = view.size;
    this.#held.release(); // the store is only read
  }

  async #startWriting(setting: WriterSetting, view: StoreView | undefined): Promise<void> {
    if (view === undefined) await checkVacant(setting);
    this.#writer = await (view === undefined ? makeStore(setting) : resumeStore(setting, view));
    this.#lastCommit = Date.now();
    this.#seen.drop();
  }

  /** Returns the writer. Throws a TypeError if another program wrote the store. */
  async #ownWriter(): Promise<StoreWriter> {
    await this.#open();
    if (this.#writer !== undefined) return this.#writer;
    throw new TypeError(
      `Cannot write to ${this.path}: another program wrote this store, so it can only be read. Use another folder`,
    );
  }

  async #clear(): Promise<void> {
    const writer = await this.#ownWriter();
    this.#reset();
    await withPath(this.path, "clear", async () => {
      await writer.close();
      this.#writer = await makeStore(this.#setting(this.#host!));
    });
  }

  /**
   * Shortens the store to `length` systems by replacing its root. Later data then counts as never committed.
   */
  async #shorten(length: number): Promise<void> {
    const host = this.#host!;
    this.#reset();
    await lowerSystemCount(host, this.path, length);
    await this.#startWriting(this.#setting(host), await StoreView.open(host, this.path));
  }

  async #read(find: Parameters<WrittenStore["read"]>[0]): Promise<Batch> {
    const host = this.#host ??= openHost(`read ${this.path}`);
    const view = await this.#seen.at(host, this.#writer !== undefined);
    if (this.#writer === undefined) this.#length = view?.size ?? 0;
    const places = await find(view);
    if (view !== undefined && places.length > 0) return await view.select(places);
    if (this.#length === 0) throw emptyError(this.path);
    throw new RangeError(
      `Cannot read ${this.path}: the slice must include at least one of its ${this.length} systems`,
    );
  }

  #setting(host: Host): WriterSetting {
    const { compression, level, precision, chunkBytes } = this.#options;
    return {
      host,
      path: this.path,
      precision,
      chunkBytes,
      packing: { compression, level },
      enqueue: (work, bytes) => {
        const task = () => withPath(this.path, "write to", work);
        if (this.#inline === undefined) this.#queue.push(task, bytes);
        else this.#inline.push(task);
      },
    };
  }

  /**
   * Runs work exclusively: all systems so far are part of the store, and new batches are enqueued until it
   * settles.
   */
  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#queued.reasons++;
    try {
      return await this.#inTurn(async () => {
        const writer = this.#writer;
        if (writer?.isUpToDate === false) {
          await withPath(this.path, "write to", () => writer.commitNow());
        }
        return await work();
      });
    } finally {
      this.#queued.reasons--;
    }
  }

  /** Runs work in its turn of the queue. Its error is thrown to the caller only, not by the next `flush`. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const room = this.#queue.add(() => work().then(resolve, reject), 0);
    const [result] = await Promise.all([promise, room]);
    return result;
  }

  /** Closes a broken writer. The store is opened again on the next use. */
  #closeBroken(writer: StoreWriter): void {
    writer.close().catch(() => {}); // its error was already thrown
    this.#reset();
  }

  #reset(): void {
    this.#length = 0;
    this.#writer = undefined;
    this.#seen.drop();
    this.#pattern.clear();
  }
}

/** Returns the indices of all systems. */
function placesIn(view: StoreView | undefined): number[] {
  return Array.from({ length: view?.size ?? 0 }, (_, place) => place);
}
