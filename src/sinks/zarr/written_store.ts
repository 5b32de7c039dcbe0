/**
 * A store under a sink: opened when it is needed, written in the background, read as it is.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { FieldInfo } from "../../batch/fields/fields.ts";
import { makeFolder } from "../../base/durable_folder.ts";
import { HeldPath } from "../files/held_path.ts";
import { codeOf, refusal } from "../files/open_file.ts";
import { checkLength, emptyError } from "../check_length.ts";
import type { SystemMask } from "../sink.ts";
import { bytesOf, FieldPattern, taken } from "../copied_systems.ts";
import { WriterQueue } from "../files/writer_queue.ts";
import { type Host, markOf, openHost } from "./files.ts";
import { checkVacant, makeStore, resumeStore, tellFewer } from "./open_store.ts";
import { StoreView } from "./store_view.ts";
import type { StoreWriter, WriterSetting } from "./store_writer.ts";
import { readOptions, type ZarrSinkOptions } from "./zarr_options.ts";

/** Systems come without waiting; but so often, in milliseconds, what came becomes part of the store. */
const COMMIT_EVERY = 1000;

/** What a sink of Zarr does, but for what it is told to read. */
export class WrittenStore {
  readonly path: string;
  readonly capacity: number;
  readonly #options: ReturnType<typeof readOptions>;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #queue: WriterQueue;
  readonly #held: HeldPath;
  /** Of batches that came before the store was open. */
  readonly #pattern = new FieldPattern();
  #host: Host | undefined;
  #writer: StoreWriter | undefined;
  /** The store as it was last read, unless it has changed since, and its `zarr.json` then, if others write to it. */
  readonly #seen: { view: StoreView | undefined; mark: string | undefined } = {
    view: undefined,
    mark: undefined,
  };
  #length = 0;
  /** Systems that wait in the queue, and why batches have to: others do, or all is being taken away. */
  readonly #queued = { systems: 0, reasons: 0 };
  #lastCommit = -Infinity;
  /** Where work goes that is not to be queued. */
  #inline: (() => Promise<void>)[] | undefined;

  constructor(path: string, options: ZarrSinkOptions) {
    this.path = path.replace(/\/+$/, "");
    this.#held = new HeldPath(this.path);
    this.#options = readOptions(options);
    const { fields, capacity } = this.#options;
    this.capacity = capacity;
    this.#only = fields === undefined ? undefined : new Set(fields);
    this.#queue = new WriterQueue(this.#options);
  }

  /** Systems in the store, once it was opened, and on the way to it. */
  get length(): number {
    return (this.#writer?.size ?? this.#length) + this.#queued.systems;
  }

  /** Opens it, or makes it. */
  open(): Promise<void> {
    return this.#inTurn(() => this.#open());
  }

  /** Takes a copy of systems: right into their chunks where the store is open, else to wait for that. */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    const isWhole = mask === undefined && this.#ready !== undefined && batch instanceof Batch &&
      batch.heldBy === undefined;
    const own = isWhole ? batch : taken(batch, mask, `write to ${this.path}`);
    if (own === undefined) return;
    this.#queue.check(); // before anything is kept of it
    if (this.length + own.size > this.capacity) throw this.#fullError(own.size);
    if (this.#writer?.isBroken) this.#abandon(this.#writer);
    const writer = this.#ready;
    if (writer === undefined) return this.#addLater(own);
    this.#add(writer, own);
    return this.#queue.room();
  }

  /** Waits until all that was taken is part of the store. */
  async flush(): Promise<void> {
    this.#held.assertThere();
    await this.#queue.flush();
    this.#commit();
    await this.#queue.flush();
  }

  /**
   * The systems at the places that are found in the store as it is now, all that was taken included; `view` is
   * `undefined` where there is no store. Nothing is written meanwhile.
   */
  async read(
    find: (view: StoreView | undefined) => readonly number[] | Promise<readonly number[]>,
  ): Promise<Batch> {
    await this.flush();
    return await this.#inTurn(() => this.#telling("read", () => this.#read(find)));
  }

  /** Takes away all systems that came so far. What comes meanwhile stays. */
  clear(): Promise<void> {
    return this.#alone(() => this.#clear());
  }

  /** Takes away all systems but the first so many. */
  truncate(length: number): Promise<void> {
    checkLength(length, `truncate ${this.path}`);
    return this.#alone(async () => {
      const writer = await this.#own();
      if (length >= writer.size) return;
      if (length === 0) return await this.#clear();
      await this.#telling("truncate", async () => {
        await writer.close();
        await this.#leave(length);
      });
    });
  }

  /** The same, and answers with them. */
  drain(): Promise<Batch> {
    return this.#alone(async () => {
      const all = await this.#telling("read", () => this.#read(placesIn));
      await this.#clear();
      return all;
    });
  }

  /** Waits until nothing is under way. */
  settle(): Promise<void> {
    return this.#queue.flush();
  }

  /** Closes its files. It can still be read. */
  async close(): Promise<void> {
    const writer = this.#writer, length = writer?.size ?? this.#length;
    this.#forget();
    this.#length = length;
    try {
      await this.#telling("close", async () => await writer?.close());
    } finally {
      this.#held.release();
    }
  }

  /** What writes, where nothing waits. */
  get #ready(): StoreWriter | undefined {
    return this.#queued.reasons > 0 || this.#writer?.isBroken ? undefined : this.#writer;
  }

  #add(writer: StoreWriter, batch: Batch): void {
    writer.add(batch, this.#fieldsOf(batch));
    this.#seen.view = undefined;
    if (performance.now() - this.#lastCommit >= COMMIT_EVERY) this.#commit();
  }

  #addLater(batch: Batch): void | Promise<void> {
    this.#pattern.join(batch);
    this.#queued.systems += batch.size;
    this.#queued.reasons++;
    return this.#queue.add(async () => {
      try {
        await this.#addNow(await this.#own(), batch);
      } finally {
        this.#queued.systems -= batch.size;
        this.#queued.reasons--;
      }
    }, bytesOf(batch));
  }

  /** Within a turn of the queue: what there is to write is written in that turn. */
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
    if (this.#writer === undefined || this.#writer.isCut) return;
    this.#lastCommit = performance.now();
    this.#seen.view = undefined;
    this.#writer.commit();
  }

  #fieldsOf(batch: Batch): readonly FieldInfo[] {
    const fields = batch.fields(), only = this.#only;
    return only === undefined ? fields : fields.filter(({ name }) => only.has(name));
  }

  async #open(): Promise<void> {
    if (this.#writer !== undefined) return;
    const host = this.#host ??= await openHost(`open ${this.path}`);
    await makeFolder(host.fs, this.path).catch(() => {}); // opening it reports what is wrong
    this.#held.hold(); // before anything is looked at: what another sink is writing is not for us to take off
    try {
      await this.#telling("open", () => this.#openHeld(host));
    } catch (error) {
      this.#held.release();
      throw error;
    }
  }

  async #openHeld(host: Host): Promise<void> {
    const view = await StoreView.open(host, this.path);
    if (view?.root.isOurs !== false) return await this.#take(this.#setting(host), view);
    this.#length = view.size;
    this.#held.release(); // it is only read
  }

  async #take(setting: WriterSetting, view: StoreView | undefined): Promise<void> {
    if (view === undefined) await checkVacant(setting);
    this.#writer = await (view === undefined ? makeStore(setting) : resumeStore(setting, view));
    this.#lastCommit = performance.now();
    this.#seen.view = undefined;
  }

  /** What writes; throws a TypeError for a store of others. */
  async #own(): Promise<StoreWriter> {
    await this.#open();
    if (this.#writer !== undefined) return this.#writer;
    throw new TypeError(
      `Cannot write to ${this.path}: it must be a store that a ZarrSink made: others can only be read`,
    );
  }

  async #clear(): Promise<void> {
    const writer = await this.#own();
    this.#forget();
    await this.#telling("clear", async () => {
      await writer.close();
      this.#writer = await makeStore(this.#setting(this.#host!));
    });
  }

  /** The root tells of fewer systems, whole or not at all; what is behind them then was never finished. */
  async #leave(length: number): Promise<void> {
    const host = this.#host!;
    this.#forget();
    await tellFewer(host, this.path, length);
    await this.#take(this.#setting(host), await StoreView.open(host, this.path));
  }

  async #read(find: Parameters<WrittenStore["read"]>[0]): Promise<Batch> {
    const host = this.#host ??= await openHost(`read ${this.path}`);
    const view = await this.#viewNow(host);
    if (this.#writer === undefined) this.#length = view?.size ?? 0;
    const places = await find(view);
    if (view !== undefined && places.length > 0) return await view.select(places);
    if (this.#length === 0) throw emptyError(this.path);
    throw new RangeError(
      `Cannot read ${this.path}: a system or more must be meant, and none is: current length is ${this.length}`,
    );
  }

  /** Whoever adds to a store of ours replaces its `zarr.json`; what others do to theirs cannot be told so easily. */
  async #viewNow(host: Host): Promise<StoreView | undefined> {
    if (this.#writer === undefined) {
      const mark = await markOf(host.fs, `${this.path}/zarr.json`);
      if (mark !== this.#seen.mark || !this.#seen.view?.root.isOurs) this.#seen.view = undefined;
      this.#seen.mark = mark;
    }
    return this.#seen.view ??= await StoreView.open(host, this.path);
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
        const told = () => this.#telling("write to", work);
        if (this.#inline === undefined) this.#queue.push(told, bytes);
        else this.#inline.push(told);
      },
    };
  }

  /** Work after all that came before, which has become part of the store then; what comes meanwhile waits. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#queued.reasons++;
    try {
      return await this.#inTurn(async () => {
        const writer = this.#writer;
        if (writer?.isCut === false) await this.#telling("write to", () => writer.tell());
        return await work();
      });
    } finally {
      this.#queued.reasons--;
    }
  }

  /** Work after all that waits. What it throws is its caller's, nobody else's. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const room = this.#queue.add(() => work().then(resolve, reject), 0);
    const [result] = await Promise.all([promise, room]);
    return result;
  }

  /** What is there has to be looked at again. */
  #abandon(writer: StoreWriter): void {
    writer.close().catch(() => {}); // what went wrong has been told
    this.#forget();
  }

  #forget(): void {
    this.#length = 0;
    this.#writer = undefined;
    this.#seen.view = undefined;
    this.#pattern.clear();
  }

  /** Errors of the file system say where; others stay as they are. */
  async #telling<T>(verb: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) === "ENOTDIR") {
        throw new SyntaxError(`Cannot ${verb} ${this.path}: it must be a folder: it is none`, {
          cause: error,
        });
      }
      // Not all that a file system refuses has a code; what we say is of a kind, or has a cause.
      const isOwn = [SyntaxError, RangeError, TypeError].some((kind) => error instanceof kind) ||
        error instanceof Error && error.cause !== undefined;
      throw isOwn ? error : refusal(this.path, verb, error);
    }
  }

  #fullError(count: number): RangeError {
    return new RangeError(
      `Cannot write to ${this.path}: ${count} systems more must fit into its capacity of ${this.capacity}: ` +
        `current length is ${this.length}`,
    );
  }
}

/** The places of all systems. */
function placesIn(view: StoreView | undefined): number[] {
  return Array.from({ length: view?.size ?? 0 }, (_, place) => place);
}
