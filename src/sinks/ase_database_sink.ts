import type { Batch } from "../batch/batch.ts";
import type { System } from "../batch/system.ts";
import { AseStore } from "./ase/store.ts";
import type { Slice, StoredSink, SystemMask } from "./sink.ts";
import { StoredFrames } from "./stored_frames.ts";
import type { WriterQueueOptions } from "./writer_queue.ts";

/** What an {@linkcode AseDatabaseSink} can be told. */
export interface AseDatabaseSinkOptions extends WriterQueueOptions {
  /**
   * Whose the rows are, as ASE asks for `user=…`.
   *
   * @default nobody's
   */
  readonly username?: string;
}

/**
 * Keeps systems in a database of ASE's (SQLite, version 9 of its tables), so that `ase.db.connect(path).select(…)` finds
 * them, and gives back those that ASE has written.
 *
 * Elements, positions, cell, pbc, masses, momenta, charges, energy, forces, stress, and the fields `tags`, `magmoms`,
 * `magmom`, `dipole`, `free_energy`, `initial_charges`, `initial_magmoms` are in ASE's own columns; `move_mask` (0 for
 * atoms that are fixed) is its `FixAtoms`. Other numbers per system (`step`, `time`, …), and numbers and texts of `info`,
 * are key-value pairs; all the rest is in `data`, so that every field comes back to the bit. Typed arrays in `info` come
 * back as lists.
 *
 * Others see systems once they were flushed.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { AseDatabaseSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.db`;
 * await using sink = new AseDatabaseSink(path);
 * const info = { label: "dimer" };
 * await sink.write(Batch.from([{ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 0, 0, 3.8], info }]));
 * await sink.flush(); // ase.db.connect("argon.db").get(label="dimer") finds it now
 * assertEquals((await sink.read()).infos[0], { label: "dimer" });
 * ```
 */
export class AseDatabaseSink implements StoredSink, AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** There is no limit. */
  readonly capacity: number = Infinity;
  /** It always takes more. */
  readonly isFull: boolean = false;
  readonly #frames: StoredFrames;

  /** Nothing is opened yet. */
  constructor(path: string, { username, ...options }: AseDatabaseSinkOptions = {}) {
    this.path = path;
    this.#frames = new StoredFrames(path, new AseStore(path, username ?? null), options);
  }

  /** Systems in the database, once it was opened, and on the way to it. */
  get length(): number {
    return this.#frames.length;
  }

  /**
   * Opens the database, or makes it.
   *
   * @throws {SyntaxError} for what is no such database; it stays as it is
   * @throws {RangeError} for one of another version, which would have to be converted
   * @throws {Error} when the file system refuses
   */
  open(): Promise<void> {
    return this.#frames.open();
  }

  /**
   * Takes a copy at once, and writes it in the background; what it answers with waits where too much is under way.
   *
   * @throws {TypeError} for what is no batch or no mask, and for fields that differ from those of earlier systems
   * @throws {RangeError} for a mask of another length
   * @throws {Error} for a sink that is closed, and for what went wrong with earlier systems
   */
  write(batch: Batch, mask?: SystemMask): void | Promise<void> {
    return this.#frames.write(batch, mask);
  }

  /** Waits until all is in the database, and safe. Throws what went wrong since somebody last asked. */
  flush(): Promise<void> {
    return this.#frames.flush();
  }

  /** All systems, as one batch. Throws a RangeError where there are none. */
  read(): Promise<Batch> {
    return this.#frames.slice({});
  }

  /** Some of the systems, read without the others. Throws a RangeError where there are none. */
  slice(slice: Slice): Promise<Batch> {
    return this.#frames.slice(slice);
  }

  /** The same one by one, without holding them all. */
  frames(slice: Slice = {}): AsyncGenerator<System, void> {
    return this.#frames.frames(slice);
  }

  /** All systems, and the database has none afterwards. */
  drain(): Promise<Batch> {
    return this.#frames.drain();
  }

  /** Deletes all rows. */
  clear(): Promise<void> {
    return this.#frames.clear();
  }

  /** Takes off all systems but the first so many. Throws a RangeError for what is no count. */
  truncate(length: number): Promise<void> {
    return this.#frames.truncate(length);
  }

  /** Writes what is left, and closes the database. What it holds can still be read. */
  close(): Promise<void> {
    return this.#frames.close();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#frames.close();
  }
}
