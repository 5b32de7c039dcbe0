import type { Batch } from "../../batch/batch.ts";
import type { FieldInfo } from "../../batch/fields.ts";
import { codeOf, refusal } from "../open_file.ts";
import type { Slice, StoredSink, SystemMask } from "../sink.ts";
import { checkedSlice, isMeant, looksInside } from "../slice.ts";
import { FieldPattern, taken } from "../taken.ts";
import { WriterQueue } from "../writer_queue.ts";
import { type Host, openHost } from "./files.ts";
import { checkVacant, makeStore, resumeStore } from "./open_store.ts";
import { StoreView } from "./store_view.ts";
import type { StoreWriter, WriterSetting } from "./store_writer.ts";
import { readOptions, type ZarrSinkOptions } from "./zarr_options.ts";

/** Systems come without waiting; but so often, in milliseconds, what came becomes part of the store. */
const COMMIT_EVERY = 1000;

/**
 * Keeps systems in a Zarr v3 store, which Python's `zarr` and `xarray` open, and nvalchemi-toolkit as a dataset: a
 * folder with an array per field, in the layout of its `AtomicData`, in few files. Fields that `AtomicData` has not
 * are in `custom` by their names (`step`, `time`, `systemId`, `sourceId` and one's own). Lengths are in Å, energies in
 * eV, velocities in Å/fs.
 *
 * Stores that nvalchemi or Python's `zarr` have written in this layout can be read as well, but not added to.
 *
 * What was flushed is part of the store from then on, whenever the process is killed; what was not becomes part of it
 * about every second. One sink at a time may write to a store; others may read.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { ZarrSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.zarr`;
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0] }]);
 * {
 *   await using sink = new ZarrSink(path, { compression: "none" });
 *   for (const time of [0, 1, 2]) {
 *     batch.set("time", time, { level: "system", unit: "fs" });
 *     await sink.write(batch);
 *   }
 * }
 * const sink = new ZarrSink(path);
 * const late = await sink.slice({ time: [1, 2] });
 * assertEquals([...late.get("time")], [1, 2]);
 * assertEquals(sink.length, 3);
 * ```
 */
export class ZarrSink implements StoredSink, AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** How many systems it takes. */
  readonly capacity: number;
  readonly #options: Required<Omit<ZarrSinkOptions, "fields">>;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #queue: WriterQueue;
  readonly #pattern = new FieldPattern();
  #host: Host | undefined;
  #writer: StoreWriter | undefined;
  /** The store as it was when somebody last read, unless it has changed since. */
  #view: StoreView | undefined;
  #length = 0;
  /** Systems, and batches of them, that wait for the store to be opened. */
  #waiting = 0;
  #unopened = 0;
  #lastCommit = -Infinity;
  #isClosed = false;

  /**
   * Nothing is opened yet.
   *
   * @throws {TypeError} for options of the wrong kind
   * @throws {RangeError} for numbers that cannot be
   */
  constructor(path: string, options: ZarrSinkOptions = {}) {
    this.path = path.replace(/\/+$/, "");
    const { fields, ...rest } = readOptions(options);
    this.#options = rest;
    this.#only = fields === undefined ? undefined : new Set(fields);
    this.#queue = new WriterQueue(rest);
    this.capacity = rest.capacity;
  }

  /** Systems in the store, once it was opened, and on the way to it. */
  get length(): number {
    return (this.#writer?.size ?? this.#length) + this.#waiting;
  }

  /** Whether it can take no more. */
  get isFull(): boolean {
    return this.length >= this.capacity;
  }

  /**
   * Opens the store, or makes it. What no flush had finished is taken off.
   *
   * @throws {SyntaxError} for what is there and is no such store, or damaged, naming file and key; it stays as it is
   * @throws {RangeError} for one of a newer version
   * @throws {Error} when the file system refuses
   */
  open(): Promise<void> {
    this.#checkOpen("open");
    return this.#inTurn(() => this.#open());
  }

  /**
   * Takes a copy at once, and writes it in the background; what it answers with waits where too much is under way.
   *
   * @throws {TypeError} for what is no batch or no mask, and for fields that differ from those of earlier systems
   * @throws {RangeError} when they do not all fit, and for a mask of another length; nothing is taken then
   * @throws {Error} for a sink that is closed, while an engine holds the batch, and for what went wrong with earlier
   * systems: those since the last flush may be lost
   */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    this.#checkOpen("write to");
    const own = mask === undefined && this.#isReady(batch)
      ? batch
      : taken(batch, mask, `write to ${this.path}`);
    if (own === undefined) return;
    this.#queue.check(); // before anything is kept of it
    if (this.length + own.size > this.capacity) throw this.#fullError(own.size);
    if (this.#writer?.isBroken) {
      this.#writer.close().catch(() => {}); // what went wrong has been told
      this.#forget();
    }
    if (this.#writer !== undefined && this.#unopened === 0) {
      this.#add(this.#writer, own);
      return this.#queue.room();
    }
    this.#pattern.join(own);
    this.#waiting += own.size;
    this.#unopened++;
    return this.#queue.add(async () => {
      try {
        await this.#open();
        if (this.#writer === undefined) throw this.#foreignError();
        this.#add(this.#writer, own);
      } finally {
        this.#waiting -= own.size;
        this.#unopened--;
      }
    }, bytesOf(own));
  }

  /** Waits until all that was taken is part of the store. Throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#queue.flush();
    if (this.#writer !== undefined && !this.#writer.isCut) this.#commit(this.#writer);
    await this.#queue.flush();
  }

  /** All systems in the order in which they came. Throws a RangeError when there are none. */
  read(): Promise<Batch> {
    return this.slice({});
  }

  /** The same, and the store is empty afterwards. */
  async drain(): Promise<Batch> {
    const all = await this.read();
    await this.clear();
    return all;
  }

  /**
   * Some of the systems, read without the others. Throws a RangeError where there are none, a TypeError for what is no
   * slice, and a SyntaxError for a store that is damaged.
   */
  async slice(slice: Slice): Promise<Batch> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    const view = await this.#present();
    return await this.#select(view, view === undefined ? [] : await placesOf(view, checked));
  }

  /**
   * The systems at some places, in this order, read without the others. Throws a RangeError for a place there is not,
   * and for none.
   */
  async select(places: readonly number[]): Promise<Batch> {
    const view = await this.#present();
    const size = view?.size ?? 0;
    const wrong = places.find((place) => !(Number.isInteger(place) && place >= 0 && place < size));
    if (wrong === undefined) return await this.#select(view, places);
    throw new RangeError(
      `Cannot read ${this.path} as places must be whole numbers below ${size}: current value is ${wrong}`,
    );
  }

  /** Forgets all systems. */
  async clear(): Promise<void> {
    await this.flush();
    await this.#inTurn(async () => {
      await this.#open();
      if (this.#writer === undefined) throw this.#foreignError();
      await this.#writer.close();
      this.#forget();
      this.#writer = await makeStore(this.#setting(this.#host!));
    });
  }

  /** Writes what is left, and closes the store. From now on it takes no more; what it holds can still be read. */
  async close(): Promise<void> {
    if (this.#isClosed) return await this.#queue.flush();
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      const writer = this.#writer;
      await writer?.close();
      this.#forget();
      this.#length = writer?.size ?? this.#length;
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Whether the values can be taken from the batch itself. */
  #isReady(batch: unknown): boolean {
    const { heldBy, size } = batch as Partial<Batch>;
    return this.#writer !== undefined && !this.#writer.isBroken && this.#unopened === 0 &&
      heldBy === undefined && size !== undefined;
  }

  #add(writer: StoreWriter, batch: Batch): void {
    writer.add(batch, this.#fieldsOf(batch));
    this.#view = undefined;
    if (performance.now() - this.#lastCommit >= COMMIT_EVERY) this.#commit(writer);
  }

  #commit(writer: StoreWriter): void {
    this.#lastCommit = performance.now();
    this.#view = undefined;
    writer.commit();
  }

  #fieldsOf(batch: Batch): readonly FieldInfo[] {
    const fields = batch.fields(), only = this.#only;
    return only === undefined ? fields : fields.filter(({ name }) => only.has(name));
  }

  #setting(host: Host): WriterSetting {
    const { compression, level, precision, chunkBytes } = this.#options;
    return {
      ...{ host, path: this.path, precision, chunkBytes, packing: { compression, level } },
      enqueue: (work, bytes) =>
        this.#queue.push(async () => {
          try {
            await work();
          } catch (error) {
            throw this.#told(error, "write to");
          }
        }, bytes),
    };
  }

  async #open(): Promise<void> {
    if (this.#writer !== undefined) return;
    try {
      const host = this.#host ??= await openHost(`open ${this.path}`);
      const view = await StoreView.open(host, this.path);
      if (view?.root.isOurs === false) this.#length = view.size;
      else await this.#openOwn(this.#setting(host), view);
    } catch (error) {
      throw this.#told(error, "open");
    }
  }

  async #openOwn(setting: WriterSetting, view: StoreView | undefined): Promise<void> {
    if (view === undefined) await checkVacant(setting);
    this.#writer = await (view === undefined ? makeStore(setting) : resumeStore(setting, view));
    this.#lastCommit = performance.now();
  }

  /** The store as it is now, all that was taken included, or `undefined` where there is none. */
  async #present(): Promise<StoreView | undefined> {
    await this.flush();
    try {
      const host = this.#host ??= await openHost(`read ${this.path}`);
      const view = this.#view ?? await StoreView.open(host, this.path);
      if (this.#writer !== undefined) this.#view = view;
      else this.#length = view?.size ?? 0;
      return view;
    } catch (error) {
      throw this.#told(error, "read");
    }
  }

  async #select(view: StoreView | undefined, places: readonly number[]): Promise<Batch> {
    if (view === undefined || places.length === 0) {
      throw new RangeError(
        `Cannot read ${this.path} as a system or more must be meant: current length is ${this.length}`,
      );
    }
    try {
      return await view.select(places);
    } catch (error) {
      throw this.#told(error, "read");
    }
  }

  /** Work after all that waits. What it throws is its caller's, nobody else's. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const room = this.#queue.add(() => work().then(resolve, reject), 0);
    await Promise.all([promise, room]);
  }

  #forget(): void {
    this.#length = 0;
    this.#writer = undefined;
    this.#view = undefined;
    this.#pattern.clear();
  }

  #checkOpen(verb: string): void {
    if (!this.#isClosed) return;
    throw new Error(`Cannot ${verb} ${this.path} as it must be open: it was closed`);
  }

  /** Errors of the file system say where; others stay as they are. */
  #told(error: unknown, verb: string): unknown {
    const code = codeOf(error);
    if (code === "ENOTDIR") {
      return new SyntaxError(`Cannot ${verb} ${this.path} as it must be a folder: it is none`, {
        cause: error,
      });
    }
    // Not all that a file system refuses has a code; what we say is of a kind, or has a cause.
    const isOwn = [SyntaxError, RangeError, TypeError].some((kind) => error instanceof kind) ||
      error instanceof Error && error.cause !== undefined;
    return isOwn ? error : refusal(this.path, verb, error);
  }

  #fullError(count: number): RangeError {
    return new RangeError(
      `Cannot write to ${this.path} as ${count} systems more must fit into its capacity of ${this.capacity}: ` +
        `current length is ${this.length}`,
    );
  }

  #foreignError(): TypeError {
    return new TypeError(
      `Cannot write to ${this.path} as it must be a store that a ZarrSink made: others can only be read`,
    );
  }
}

/** Where the systems are that a slice means. */
async function placesOf(view: StoreView, slice: Slice): Promise<number[]> {
  const { from = 0, to = view.size } = slice;
  const count = Math.max(0, Math.min(to, view.size) - from);
  const places = Array.from({ length: count }, (_, i) => from + i);
  if (!looksInside(slice)) return places;
  const [step, time, source, id] = await Promise.all(
    ["step", "time", "sourceId", "systemId"].map((name) => view.scalars(name)),
  );
  const systems = source ?? id;
  return places.filter((at) =>
    isMeant({ step: step?.[at], time: time?.[at], system: systems?.[at] ?? at }, slice)
  );
}

/** About as many bytes as its arrays take. */
function bytesOf(batch: Batch): number {
  return batch.fields().reduce((sum, { name }) => sum + batch.get(name).byteLength, 0);
}
