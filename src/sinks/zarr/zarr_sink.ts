import type { Batch } from "../../batch/batch.ts";
import type { CheckedPart } from "../damage.ts";
import type { Slice, StoredSink, SystemMask } from "../sink.ts";
import { checkedSlice, isMeant, looksInside } from "../slice.ts";
import { isMissing } from "../files/open_file.ts";
import { noteClosed, noteOpened } from "../files/open_sinks.ts";
import { checkStore } from "./check_store.ts";
import { openHost } from "./files.ts";
import type { StoreView } from "./store_view.ts";
import { WrittenStore } from "./written_store.ts";
import type { ZarrSinkOptions } from "./zarr_options.ts";

/**
 * Keeps systems in a Zarr v3 store, which Python's `zarr` and `xarray` open, and nvalchemi-toolkit as a dataset: a
 * folder with an array per field, in the layout of its `AtomicData`, in few files. Fields that `AtomicData` has not
 * are in `custom` by their names (`step`, `time`, `systemId`, `sourceId` and one's own). Lengths are in Å, energies in
 * eV, velocities in Å/fs.
 *
 * Stores that nvalchemi or Python's `zarr` have written in this layout can be read as well, but not added to.
 *
 * What was flushed is part of the store from then on, whenever the process is killed; while more comes, what came before
 * becomes part of it about every second. One sink at a time may write to a store; others may read. What has become
 * part of the store is on the disk: a failure of power takes nothing of it.
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
  readonly #store: WrittenStore;
  #isClosed = false;
  /** True once it is listed among the open sinks, which tells whether it has made its store. */
  #isNoted = false;

  /**
   * Nothing is opened yet.
   *
   * @throws {TypeError} for options of the wrong kind
   * @throws {RangeError} for numbers that cannot be
   */
  constructor(path: string, options: ZarrSinkOptions = {}) {
    this.#store = new WrittenStore(path, options);
    this.path = this.#store.path;
    this.capacity = this.#store.capacity;
  }

  /** Systems in the store, once it was opened, and on the way to it. */
  get length(): number {
    return this.#store.length;
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
  async open(): Promise<void> {
    this.#checkOpen("open");
    const makesStore = !this.#isNoted && await isMissing(this.path);
    await this.#store.open();
    if (!this.#isNoted) noteOpened(this, makesStore);
    this.#isNoted = true;
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
    return this.#store.write(batch, mask);
  }

  /** Waits until all that was taken is part of the store. Throws what went wrong since somebody last asked. */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  /** Compares the parts of the store with their check sums, as `verifySink` does. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    await this.flush();
    yield* checkStore(await openHost(`verify ${this.path}`), this.path);
  }

  /** All systems in the order in which they came. Throws a RangeError when there are none. */
  read(): Promise<Batch> {
    return this.slice({});
  }

  /** The same, and the store is empty afterwards, but for what came meanwhile. */
  async drain(): Promise<Batch> {
    this.#checkOpen("drain");
    return await this.#store.drain();
  }

  /**
   * Some of the systems, read without the others. Throws a RangeError where there are none, a TypeError for what is no
   * slice, and a SyntaxError for a store that is damaged.
   */
  async slice(slice: Slice): Promise<Batch> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    return await this.#store.read((view) => view === undefined ? [] : placesOf(view, checked));
  }

  /**
   * The systems at some places, in this order, read without the others. Throws a RangeError for a place there is not,
   * and for none.
   */
  async select(places: readonly number[]): Promise<Batch> {
    return await this.#store.read((view) => {
      const size = view?.size ?? 0;
      const isThere = (place: unknown) =>
        Number.isInteger(place) && (place as number) >= 0 && (place as number) < size;
      const wrong = places.find((place) => !isThere(place));
      if (wrong === undefined) return places;
      throw new RangeError(
        `Cannot read ${this.path}: places must be whole numbers below ${size}; got ${wrong}`,
      );
    });
  }

  /** Forgets all systems that came so far. */
  async clear(): Promise<void> {
    this.#checkOpen("clear");
    await this.#store.clear();
  }

  /** Takes off all systems but the first so many. Throws a RangeError for what is no count. */
  async truncate(length: number): Promise<void> {
    this.#checkOpen("truncate");
    await this.#store.truncate(length);
  }

  /** Writes what is left, and closes the store. From now on it takes no more; what it holds can still be read. */
  async close(): Promise<void> {
    if (this.#isClosed) return await this.#store.settle();
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.#store.close();
      noteClosed(this);
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkOpen(verb: string): void {
    if (!this.#isClosed) return;
    throw new Error(`Cannot ${verb} ${this.path}: it must be open: it was closed`);
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
