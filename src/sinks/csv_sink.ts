import type { Batch } from "../batch/batch.ts";
import { CsvFormat } from "./csv_format.ts";
import { checkedSlice } from "./slice.ts";
import type { Slice, StoredSink, SystemMask } from "./sink.ts";
import { type FrameStore, StoredFrames } from "./stored_frames.ts";
import { TextStore } from "./text_store.ts";
import type { WriterQueueOptions } from "./writer_queue.ts";

/**
 * Keeps a row of numbers for each system in a file of comma-separated values: its fields per system, of which those of
 * several numbers are columns `cell[0]`, `cell[1]`, …; what a system does not have, and NaN, is an empty cell.
 *
 * Atoms have no place in a table, so that systems cannot be read back: `read`, `drain` and `slice` say so. The numbers
 * can, with `table`.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { CsvSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/energies.csv`;
 * await using sink = new CsvSink(path, ["systemId", "energy"]);
 * for (const energy of [-1, -1.5]) {
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy }]));
 * }
 * await sink.flush();
 * assertEquals(await Deno.readTextFile(path), "systemId,energy\n0,-1\n0,-1.5\n");
 * assertEquals([...(await sink.table({ from: 1 })).get("energy")!], [-1.5]);
 * ```
 */
export class CsvSink implements StoredSink, AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** There is no limit. */
  readonly capacity: number = Infinity;
  /** It always takes more. */
  readonly isFull: boolean = false;
  readonly #frames: StoredFrames;
  readonly #rows: TextStore<number[]>;
  readonly #format: CsvFormat;

  /**
   * Nothing is opened yet.
   *
   * @param columns the numbers to keep, as `energy` or `cell[0]`; without them those that the file has, or all numbers
   * of the systems that come first
   * @throws {TypeError} for columns that are no list
   * @throws {RangeError} for names that are none, or come twice
   */
  constructor(path: string, columns?: readonly string[], options: WriterQueueOptions = {}) {
    this.path = path;
    this.#format = new CsvFormat(path, columns);
    this.#rows = new TextStore(path, this.#format);
    this.#frames = new StoredFrames(path, rowsOnly(this.#rows), options);
  }

  /** What its columns are called, as far as is known. */
  get columns(): readonly string[] {
    return this.#format.columns;
  }

  /** Systems in the file, once it was opened, and on the way to it. */
  get length(): number {
    return this.#frames.length;
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws {SyntaxError} for what is no such file, naming the line; it stays as it is
   * @throws {RangeError} for one with other columns
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

  /** Waits until all is in the file, and safe. Throws what went wrong since somebody last asked. */
  flush(): Promise<void> {
    return this.#frames.flush();
  }

  /**
   * The numbers of some of the systems, by column; NaN for an empty cell.
   *
   * @throws {SyntaxError} for a file that is no such table, naming the line
   */
  async table(slice: Slice = {}): Promise<Map<string, Float64Array>> {
    const checked = checkedSlice(slice, `read ${this.path}`);
    await this.#frames.settle();
    const rows: number[][] = [];
    for await (const row of this.#rows.frames(checked)) rows.push(row);
    return new Map(
      this.columns.map((column, i) => [column, Float64Array.from(rows, (row) => row[i]!)]),
    );
  }

  /** Throws a TypeError: the file does not hold systems. */
  read(): Promise<Batch> {
    return this.#refuse();
  }

  /** Throws a TypeError: the file does not hold systems. Its numbers are in `table`. */
  slice(_slice: Slice): Promise<Batch> {
    return this.#refuse();
  }

  /** Throws a TypeError, and leaves the file as it is. */
  drain(): Promise<Batch> {
    return this.#refuse();
  }

  /** Empties the file. */
  clear(): Promise<void> {
    return this.#frames.clear();
  }

  /** Takes off all systems but the first so many. Throws a RangeError for what is no count. */
  truncate(length: number): Promise<void> {
    return this.#frames.truncate(length);
  }

  /** Writes what is left, and closes the file. What it holds can still be read. */
  close(): Promise<void> {
    return this.#frames.close();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#frames.close();
  }

  #refuse(): Promise<never> {
    return Promise.reject(
      new TypeError(
        `Cannot read systems from ${this.path} as it must hold their atoms: a table has rows of numbers, which table() reads`,
      ),
    );
  }
}

/** A store that adds systems, and gives none back. */
function rowsOnly(rows: TextStore<number[]>): FrameStore {
  return {
    get length() {
      return rows.length;
    },
    open: () => rows.open(),
    append: (batch, counted) => rows.append(batch, counted),
    sync: () => rows.sync(),
    clear: () => rows.clear(),
    truncate: (length) => rows.truncate(length),
    close: () => rows.close(),
    last: async () => void await rows.last(), // whoever adds to a damaged table is to know
    frames: () => {
      throw new TypeError("Cannot read systems as there must be atoms: rows have none");
    },
  };
}
