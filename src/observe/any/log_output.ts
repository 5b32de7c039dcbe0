/**
 * Outputs of logs: a CSV file, or a function.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { CsvFile } from "../../sinks/csv/csv_file.ts";
import { codeOf, type OpenFile, openFile } from "../../sinks/files/open_file.ts";
import type { LogRow } from "../atoms/log_table.ts";

/** Output that receives the rows of a log, one step after another. */
export interface LogOutput {
  /**
   * Opens the output when a run begins. Returns the path of the file if it already has rows of an earlier run,
   * otherwise `undefined`.
   */
  open(): void | Promise<string | URL | undefined>;
  /**
   * Writes the rows of one step, in the order of the columns. Throws errors of earlier rows. Returns a promise if the
   * run must wait for a slow output.
   */
  write(step: number, rows: readonly (readonly number[])[]): void | PromiseLike<void>;
  /** Waits until all rows are written, then closes the output. Throws errors of earlier rows. */
  close(): Promise<void>;
  /**
   * Returns the position in the output as plain data. Without this method, rows written after a checkpoint stay when
   * the run resumes.
   */
  save?(): unknown;
  /** Restores a position that `save` returned. The output returns to it before the next row is written. */
  load?(state: unknown): void;
  /**
   * Compares the file with a state that `save` returned, by default the loaded state. Throws a RangeError if the file
   * is shorter.
   */
  compare?(state?: unknown): Promise<void>;
  /** Waits until all rows so far are written. */
  flush?(): Promise<void>;
}

/** A custom function that takes the rows of a step. */
export type LogWriter = (step: number, rows: readonly LogRow[]) => void | PromiseLike<void>;

/** Writes rows to a file of comma-separated values. */
export class CsvOutput implements LogOutput {
  readonly #file: CsvFile;
  #isKnown = false;
  /** Size to truncate the file to before the next row, in bytes; `undefined` if it is not to be truncated. */
  #truncateAt: number | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(path: string | URL, columns: readonly string[]) {
    this.#file = new CsvFile(path, columns);
  }

  async open(): Promise<string | URL | undefined> {
    const isFirst = !this.#isKnown && this.#truncateAt === undefined;
    await this.#file.open();
    this.#isKnown = true;
    await this.#truncate();
    return isFirst && this.#file.hasRows ? this.#file.path : undefined;
  }

  save(): unknown {
    if (this.#truncateAt !== undefined) return { size: this.#truncateAt };
    return this.#isKnown ? { size: this.#file.size } : undefined;
  }

  load(state: unknown): void {
    this.#truncateAt = sizeIn(state);
  }

  async compare(state?: unknown): Promise<void> {
    const wantedSize = state === undefined ? this.#truncateAt : sizeIn(state);
    if (wantedSize !== undefined) {
      assertLength(this.#file.path, await sizeOf(this.#file.path), wantedSize);
    }
  }

  async flush(): Promise<void> {
    try {
      await this.#file.flush();
    } catch (error) {
      this.#failure ??= { error }; // the next write throws it, too
      throw error;
    }
  }

  async #truncate(): Promise<void> {
    const wantedSize = this.#truncateAt;
    if (wantedSize === undefined) return;
    assertLength(this.#file.path, this.#file.size, wantedSize);
    await this.#file.truncate(wantedSize);
    this.#truncateAt = undefined;
  }

  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  write(_step: number, rows: readonly (readonly number[])[]): void | Promise<void> {
    this.#check();
    if (this.#truncateAt === undefined) return this.#file.add(rows);
    return this.#truncate().then(() => this.#file.add(rows)); // the state was loaded while the file was open
  }

  async close(): Promise<void> {
    await this.#file.close();
    this.#check();
  }
}

/** Returns the size in a state that `save` returned. Throws a TypeError for anything else. */
function sizeIn(state: unknown): number {
  const size: unknown = isObject(state) ? state.size : undefined;
  if (isCount(size)) return size;
  throw new TypeError(
    complaint("load LoggingHook", "its state must be a result of save()", state),
  );
}

/** Returns the size of a file without locking it; 0 if it does not exist. */
async function sizeOf(path: string | URL): Promise<number> {
  let file: OpenFile;
  try {
    file = await openFile(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

function assertLength(path: string | URL, size: number, wantedSize: number): void {
  if (size >= wantedSize) return;
  throw new RangeError(
    `Cannot resume LoggingHook: ${path} has ${size} bytes, and had ${wantedSize} when the checkpoint was written. ` +
      "Restore the missing rows, load an older checkpoint, or begin a new run with another file",
  );
}

// Number of steps that may wait for a slow writer before the run waits for it.
const QUEUE_LIMIT = 64;

/** Hands rows to a function, one step after another. A slow function is not called again before it has finished. */
export class WriterOutput implements LogOutput {
  readonly #writer: LogWriter;
  readonly #columns: readonly string[];
  #tail: Promise<void> | undefined;
  #waiting = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(writer: LogWriter, columns: readonly string[]) {
    this.#writer = writer;
    this.#columns = columns;
  }

  open(): void {}

  write(step: number, rows: readonly (readonly number[])[]): void | PromiseLike<void> {
    const named = rows.map((row) =>
      Object.fromEntries(this.#columns.map((name, i) => [name, row[i]!])) as unknown as LogRow
    );
    // A synchronous writer is called directly. Promises are made only while an asynchronous call is in flight.
    if (this.#tail === undefined) {
      const writing = this.#writer(step, named);
      if (typeof writing?.then === "function") this.#follow(Promise.resolve(writing));
    } else {
      this.#follow(this.#tail.then(() => this.#writer(step, named)));
    }
    this.#check();
    if (this.#waiting > QUEUE_LIMIT) return this.#tail;
  }

  async close(): Promise<void> {
    while (this.#tail !== undefined) await this.#tail;
    this.#check();
  }

  #follow(writing: Promise<void>): void {
    this.#waiting++;
    const tail: Promise<void> = writing
      .catch((error) => void (this.#failure ??= { error }))
      .then(() => {
        this.#waiting--;
        if (this.#tail === tail) this.#tail = undefined;
      });
    this.#tail = tail;
  }

  /** Throws the first error since the last call. */
  #check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
