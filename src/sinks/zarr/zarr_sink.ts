import type { Batch } from "../../batch/batch.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import type { CheckedPart } from "../damage.ts";
import type { Slice, StoredSink, SystemMask } from "../sink.ts";
import { checkedSlice, isSelected, selectsByStamp } from "../slice.ts";
import { isMissing } from "../files/open_file.ts";
import { addOpenSink, removeOpenSink } from "../files/open_sinks.ts";
import { checkStore } from "./check_store.ts";
import { openHost } from "./files.ts";
import type { StoreView } from "./store_view.ts";
import { WrittenStore } from "./written_store.ts";
import type { ZarrSinkOptions } from "./zarr_options.ts";

/**
 * Writes systems to a Zarr v3 store and reads them. Python's `zarr` and `xarray` open the store, and
 * nvalchemi-toolkit opens it as a dataset: a folder with an array per field in the layout of its `AtomicData`, in few
 * files. Fields that `AtomicData` does not have are in the group `custom` under their own names (`step`, `time`,
 * `systemId`, `sourceId` and custom fields). Lengths are in Å, energies in eV, velocities in Å/fs.
 *
 * Stores that nvalchemi or Python's `zarr` wrote in this layout can be read, but not appended to.
 *
 * Flushed systems are part of the store and on the disk, even if the process is killed or the power fails afterwards.
 * Without a flush, new systems become part of the store about once per second, or less often if the disk needs longer
 * for a commit. Only one sink at a time may write to a store; any number may read it.
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
  /** Path of the store. */
  readonly path: string;
  /** Largest number of systems. */
  readonly capacity: number;
  readonly #store: WrittenStore;
  #isClosed = false;
  /** True once the sink is listed among the open sinks, together with whether it created its store. */
  #isListed = false;

  /**
   * Creates a sink. The store is opened later, by `open` or the first write.
   *
   * @throws {TypeError} if an option is of the wrong kind
   * @throws {RangeError} if a number is out of range
   */
  constructor(path: string, options: ZarrSinkOptions = {}) {
    this.#store = new WrittenStore(path, options);
    this.path = this.#store.path;
    this.capacity = this.#store.capacity;
  }

  /** Number of systems in the store and in the queue. Systems in the store count once it was opened or read. */
  get length(): number {
    return this.#store.length;
  }

  /** True if the sink has reached its capacity. */
  get isFull(): boolean {
    return this.length >= this.capacity;
  }

  /**
   * Opens or creates the store. Data that no flush completed is removed.
   *
   * @throws {SyntaxError} if the content is damaged or not a store of systems; the message names the file and the
   * key, and the content stays unchanged
   * @throws {RangeError} if a newer version wrote the store
   * @throws {Error} if the file system refuses
   */
  async open(): Promise<void> {
    this.#checkOpen("open");
    const createsStore = !this.#isListed && await isMissing(this.path);
    await this.#store.open();
    if (!this.#isListed) addOpenSink(this, createsStore);
    this.#isListed = true;
  }

  /**
   * Copies systems at once and writes them in the background. If the queue is full, returns a promise that resolves
   * when it has room.
   *
   * @throws {TypeError} if the batch or the mask is of the wrong kind, or fields differ from those of earlier
   * systems
   * @throws {RangeError} if the systems exceed the capacity or the mask has another length; no system is
   * written then
   * @throws {Error} if the sink is closed or an engine holds the batch, and if an earlier write failed:
   * systems since the last flush may be lost then
   */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    this.#checkOpen("write to");
    return this.#store.write(batch, mask);
  }

  /**
   * Copies a frame of a run directly from the engine. Returns `false` if earlier systems still wait for the store to
   * open; `write` accepts a copy then. Throws as `write` does.
   */
  writeFrame(frame: RunFrame): false | void | Promise<void> {
    this.#checkOpen("write to");
    return this.#store.writeFrame(frame);
  }

  /**
   * Waits until all systems are part of the store. Throws the first write error that no earlier call has thrown.
   */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  /** Compares the parts of the store with their checksums, as `verifySink` does. */
  async *check(): AsyncGenerator<CheckedPart, void> {
    await this.flush();
    yield* checkStore(openHost(`verify ${this.path}`), this.path);
  }

  /**
   * Returns all systems in the order in which they were written. Throws a RangeError if there are no systems.
   */
  read(): Promise<Batch> {
    return this.slice({});
  }

  /** Returns all systems and removes them. Systems that are written meanwhile stay. */
  async drain(): Promise<Batch> {
    this.#checkOpen("drain");
    return await this.#store.drain();
  }

  /**
   * Returns the systems of a slice, without reading the others. Throws a RangeError if the slice selects no system, a
   * TypeError if the slice is not valid, and a SyntaxError if the store is damaged.
   */
  async slice(slice: Slice): Promise<Batch> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    return await this.#store.read((view) => view === undefined ? [] : placesOf(view, checked));
  }

  /**
   * Returns the systems with the given indices, in this order, without reading the others. Throws a RangeError if the
   * list is empty, or if an index is not an integer from 0 to `length` − 1.
   */
  async select(places: readonly number[]): Promise<Batch> {
    return await this.#store.read((view) => {
      const size = view?.size ?? 0;
      const exists = (place: unknown) =>
        Number.isInteger(place) && (place as number) >= 0 && (place as number) < size;
      const wrong = places.find((place) => !exists(place));
      if (wrong === undefined) return places;
      throw new RangeError(
        `Cannot read ${this.path}: indices of systems must be whole numbers below ${size}; got ${wrong}`,
      );
    });
  }

  /** Removes all systems written so far. */
  async clear(): Promise<void> {
    this.#checkOpen("clear");
    await this.#store.clear();
  }

  /** Removes all systems except the first `length`. Throws a RangeError if `length` is not a non-negative integer. */
  async truncate(length: number): Promise<void> {
    this.#checkOpen("truncate");
    await this.#store.truncate(length);
  }

  /** Flushes, and closes the store. A closed sink accepts no systems; it can still be read. */
  async close(): Promise<void> {
    if (this.#isClosed) return await this.#store.settle();
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.#store.close();
      removeOpenSink(this);
    }
  }

  /** Closes the sink, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkOpen(verb: string): void {
    if (!this.#isClosed) return;
    throw new Error(`Cannot ${verb} ${this.path}: the sink is closed`);
  }
}

/** Returns the indices of the systems that a slice selects. */
async function placesOf(view: StoreView, slice: Slice): Promise<number[]> {
  const { from = 0, to = view.size } = slice;
  const count = Math.max(0, Math.min(to, view.size) - from);
  const places = Array.from({ length: count }, (_, i) => from + i);
  if (!selectsByStamp(slice)) return places;
  const [step, time, source, id] = await Promise.all(
    ["step", "time", "sourceId", "systemId"].map((name) => view.scalars(name)),
  );
  const systems = source ?? id;
  return places.filter((at) =>
    isSelected({ step: step?.[at], time: time?.[at], system: systems?.[at] ?? at }, slice)
  );
}
