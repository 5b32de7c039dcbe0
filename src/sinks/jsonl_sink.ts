import type { Batch } from "../batch/batch.ts";
import type { System } from "../batch/system.ts";
import { JSONL_FORMAT } from "./jsonl_format.ts";
import type { Slice, StoredSink, SystemMask } from "./sink.ts";
import { StoredFrames } from "./stored_frames.ts";
import { TextStore } from "./text_store.ts";
import type { WriterQueueOptions } from "./writer_queue.ts";

/**
 * Keeps systems in a file of JSON, one line for each, added to those that are there. Every field comes back to the bit,
 * whatever its level and dtype, and `info`, too.
 *
 * A line is an object: `hooke` (the version of the format), each field by its name (a number, a list, or a list of rows;
 * what is not finite as `"NaN"`, `"Infinity"`, `"-Infinity"`), `fields` (level, dtype, width, unit and fill value of
 * one's own), `info`.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { JsonlSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.jsonl`;
 * await using sink = new JsonlSink(path);
 * await sink.write(Batch.from([{ symbols: ["Ar"], positions: [0, -0, 1.5], energy: -1 }]));
 * await sink.flush();
 * const line = JSON.parse(await Deno.readTextFile(path));
 * assertEquals([line.numbers, line.positions, line.energy], [[18], [[0, -0, 1.5]], -1]);
 * assertEquals([...(await sink.read()).get("positions")], [0, -0, 1.5]);
 * ```
 */
export class JsonlSink implements StoredSink, AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** There is no limit. */
  readonly capacity: number = Infinity;
  /** It always takes more. */
  readonly isFull: boolean = false;
  readonly #frames: StoredFrames;

  /** Nothing is opened yet. */
  constructor(path: string, options: WriterQueueOptions = {}) {
    this.path = path;
    this.#frames = new StoredFrames(path, new TextStore(path, JSONL_FORMAT), options);
  }

  /** Systems in the file, once it was opened, and on the way to it. */
  get length(): number {
    return this.#frames.length;
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws {SyntaxError} for what is no such file, naming the line; it stays as it is
   * @throws {RangeError} for one of a newer version
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

  /** All systems, and the file is empty afterwards. */
  drain(): Promise<Batch> {
    return this.#frames.drain();
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
}
