/**
 * Writer of numbers and histograms of steps to files that TensorBoard shows.
 *
 * @module
 */

import { AddedFile } from "../files/added_file.ts";
import { FileEnd } from "../files/file_end.ts";
import { histogramOf } from "./histogram.ts";
import { codeOf, type OpenFile, openFile, refusal } from "../files/open_file.ts";
import { eventMessage, type TensorBoardHistogram, versionMessage } from "./tensorboard_event.ts";
import { frameRecord } from "./tensorboard_records.ts";
import { builtin } from "../../platform/process.ts";

/** Functions of the file system that this module uses. */
interface Files {
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
}

/** Time of an event. */
export interface EventTime {
  /**
   * Time in s since 1970.
   *
   * @default now
   */
  readonly wallTime?: number;
}

/** Options of {@linkcode TensorBoardFile.addHistogram}. */
export interface HistogramOptions extends EventTime {
  /**
   * Number of ranges of equal width.
   *
   * @default 30
   */
  readonly ranges?: number;
}

/**
 * Writes numbers and histograms of steps to a folder, in the format of TensorBoard: `tensorboard --logdir
 * FOLDER`. Each call of `open` creates a new file. TensorBoard shows the files of a folder as one run, in the
 * order in which they were created. Existing files are kept.
 *
 * Steps are written in the background, in order, each entirely or not at all. After `flush` they are in the
 * file, even if the process is killed. TensorBoard's numbers are float32.
 *
 * @example
 * ```ts
 * import { readTensorBoard, TensorBoardFile } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * await using board = new TensorBoardFile(folder);
 * await board.open();
 * board.add(0, { "loss/total": 0.5, lr: 0.25 });
 * board.add(1, { "loss/total": 0.125, lr: 0.25 });
 * board.addHistogram(1, "forces", [0, 1, 1, 3], { ranges: 3 });
 * await board.flush();
 *
 * const events = await readTensorBoard(folder);
 * assertEquals(events.map(({ step, scalars }) => [step, scalars["loss/total"]]), [
 *   ...[[0, 0.5], [1, 0.125], [1, undefined]],
 * ]);
 * assertEquals(events[2]?.histograms["forces"]?.counts, [1, 2, 1]);
 * ```
 */
export class TensorBoardFile implements AsyncDisposable {
  /** Folder of the files. */
  readonly folder: string | URL;
  #path: string | undefined;
  #file: AddedFile | undefined;

  /** Creates the writer. A file is created by `open`. */
  constructor(folder: string | URL) {
    this.folder = folder;
  }

  /** Path of the current or last file; `undefined` before the first `open`. */
  get path(): string | undefined {
    return this.#path;
  }

  /**
   * Creates a new file in the folder, and the folder if it does not exist.
   *
   * @throws {TypeError} if there is no file system
   * @throws {Error} if the file system refuses, with its `code` and its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    const { files, folder } = host(this.folder);
    try {
      await files.mkdir(folder, { recursive: true });
    } catch (error) {
      throw refusal(folder, "write to", error);
    }
    const { path, file } = await newFile(folder);
    this.#path = path;
    this.#file = new AddedFile(file, new FileEnd(file, path, 0));
    this.#push(versionMessage(Date.now() / 1000));
    await this.#file.written();
  }

  /**
   * Adds numbers of a step. Returns a promise to await if the disk does not keep up.
   *
   * @param step number of steps done, a non-negative integer
   * @param scalars numbers by tag; tags with a slash are shown in groups
   * @throws {RangeError} if `step` is not a non-negative integer
   * @throws {Error} if the file is not open, or earlier numbers could not be written
   */
  add(
    step: number,
    scalars: Readonly<Record<string, number>>,
    { wallTime = Date.now() / 1000, histograms = {} }: EventTime & {
      readonly histograms?: Readonly<Record<string, TensorBoardHistogram>>;
    } = {},
  ): void | Promise<void> {
    checkStep(step);
    return this.#push(eventMessage({ step, wallTime, scalars, histograms }));
  }

  /**
   * Adds a histogram of numbers of a step. Returns a promise to await if the disk does not keep up.
   *
   * @throws {RangeError} if `step` is not a non-negative integer, if there are no numbers, or if a number is not
   * finite
   * @throws {Error} if the file is not open, or earlier numbers could not be written
   */
  addHistogram(
    step: number,
    tag: string,
    values: ArrayLike<number>,
    { ranges = 30, wallTime = Date.now() / 1000 }: HistogramOptions = {},
  ): void | Promise<void> {
    checkStep(step);
    const histograms = { [tag]: histogramOf(values, ranges) };
    return this.#push(eventMessage({ step, wallTime, scalars: {}, histograms }));
  }

  /** Waits until all numbers are on the disk. Throws the first write error that no earlier call has thrown. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Writes pending numbers and closes the file. Throws the first write error that no earlier call has thrown. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Closes the file, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #push(message: Uint8Array): void | Promise<void> {
    if (this.#file === undefined) {
      throw new Error(`Cannot add to ${this.folder}: the file is not open`);
    }
    return this.#file.add(frameRecord(message));
  }
}

/**
 * Creates a file with a name that sorts after those of earlier runs: TensorBoard reads files in the order of
 * their names. The file is in append mode, so writes go to its end even after a write that failed.
 */
async function newFile(folder: string): Promise<{ path: string; file: OpenFile }> {
  const begun = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
  for (let n = 0;; n++) {
    const path = `${folder}/events.out.tfevents.${begun}.hooke.${String(n).padStart(4, "0")}`;
    try {
      return { path, file: await openFile(path, "ax") };
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function checkStep(step: number): void {
  if (Number.isSafeInteger(step) && step >= 0) return;
  throw new RangeError(
    `Cannot add to TensorBoard: the step must be a non-negative integer; got ${step}`,
  );
}

/**
 * Returns the file functions of the host, which are loaded on first use because a web page does not have them, and
 * the folder as a path.
 */
function host(folder: string | URL): { files: Files; folder: string } {
  try {
    const files = builtin("node:fs/promises"), { fileURLToPath } = builtin("node:url");
    return { files, folder: typeof folder === "string" ? folder : fileURLToPath(folder) };
  } catch (cause) {
    throw new TypeError(`Cannot write to ${folder}: there is no file system, as in a web page`, {
      cause,
    });
  }
}
