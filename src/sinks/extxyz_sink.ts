import type { Batch } from "../batch/batch.ts";
import type { System } from "../batch/system.ts";
import { extxyzFormat } from "./extxyz_format.ts";
import type { Slice, StoredSink, SystemMask } from "./sink.ts";
import { StoredFrames } from "./stored_frames.ts";
import { TextStore } from "./text_store.ts";
import type { WriterQueueOptions } from "./writer_queue.ts";

/** What an {@linkcode ExtxyzSink} can be told. */
export interface ExtxyzSinkOptions extends WriterQueueOptions {
  /**
   * Whether velocities are written as momenta, too, which is where ASE looks for them.
   *
   * @default true
   */
  readonly momenta?: boolean;
}

/**
 * Keeps systems in a file of extended XYZ, which ASE, OVITO and others read: frames are added to those that are there.
 *
 * What comes back is what was written, to the bit, one's own fields and `info` included (their dtypes, units and fill
 * values are in the key `hooke_fields` of each frame), but for fields per edge, which the format has no place for,
 * energies, forces and stresses of which no number is known, and typed arrays in `info`, which come back as lists.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { ExtxyzSink } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.xyz`;
 * const sink = new ExtxyzSink(path);
 * for (const x of [0, 1, 2]) {
 *   await sink.write(Batch.from([{ symbols: ["Ar"], positions: [x, 0, 0], info: { step: 10 * x } }]));
 * }
 * await sink.flush();
 * assertEquals(sink.length, 3);
 * const late = await sink.slice({ steps: [10, 20] });
 * assertEquals([...late.get("positions")], [1, 0, 0, 2, 0, 0]);
 * await sink.close();
 * ```
 */
export class ExtxyzSink implements StoredSink, AsyncDisposable {
  /** Where it is. */
  readonly path: string;
  /** There is no limit. */
  readonly capacity: number = Infinity;
  /** It always takes more. */
  readonly isFull: boolean = false;
  readonly #frames: StoredFrames;

  /** Nothing is opened yet. */
  constructor(path: string, { momenta = true, ...options }: ExtxyzSinkOptions = {}) {
    this.path = path;
    const store = new TextStore(path, extxyzFormat({ momenta }));
    this.#frames = new StoredFrames(path, store, options);
  }

  /** Systems in the file, once it was opened, and on the way to it. */
  get length(): number {
    return this.#frames.length;
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws {SyntaxError} for what is no such file, naming the line; it stays as it is
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
