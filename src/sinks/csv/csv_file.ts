/**
 * Tables in files of comma-separated values.
 *
 * @module
 */

import type { LineFileOptions } from "../files/line_file.ts";
import { checkLength } from "../check_length.ts";
import { printWarning } from "../../base/print_warning.ts";
import { endOfLines, FileEnd, lineWarning } from "../files/file_end.ts";
import { type OpenFile, openPrepared, readAt, syncFile } from "../files/open_file.ts";

// Number of characters that may wait for the disk before callers should wait, too.
const MOST_WAITING = 1 << 20;
const CHUNK = 1 << 16;

/** The file of an open table. */
interface OpenTable {
  readonly file: OpenFile;
  readonly end: FileEnd;
  /** Settles when no flush uses the file. Never rejects. */
  syncing?: Promise<unknown>;
}

/**
 * Appends rows to a file of comma-separated values. A new file gets a header first. An existing file must have the
 * same header, and rows are appended to it. If a killed process left a part of a row at the end, that part is removed
 * with a warning.
 *
 * Rows are written in the background, in order, and entirely: if the disk accepts only a part of some rows, that part
 * is removed again. Numbers are written so that reading gives the same number. NaN is an empty cell.
 *
 * @example
 * ```ts
 * import { CsvFile } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/log.csv`;
 * const file = new CsvFile(path, ["step", "energy"]);
 * await file.open();
 * file.add([[0, -1.5], [1, NaN]]);
 * await file.close();
 * assertEquals(await Deno.readTextFile(path), "step,energy\n0,-1.5\n1,\n");
 * ```
 */
export class CsvFile {
  /** Path of the file. */
  readonly path: string | URL;
  /** Names of the columns. */
  readonly columns: readonly string[];
  readonly #onWarning: (message: string) => void;
  #open: OpenTable | undefined;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #size = 0;

  /** Creates the table. The file is opened by `open`. */
  constructor(
    path: string | URL,
    columns: readonly string[],
    { onWarning = printWarning }: LineFileOptions = {},
  ) {
    this.#onWarning = onWarning;
    this.path = path;
    this.columns = columns;
  }

  /**
   * Opens or creates the file.
   *
   * @throws {TypeError} if there is no file system
   * @throws {RangeError} if the file has another header; the file stays unchanged
   * @throws {Error} if the file system refuses, with its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#open !== undefined) return;
    this.#open = await openPrepared(
      this.path,
      async (file) => ({ file, end: await this.#begin(file) }),
    );
  }

  /**
   * Appends rows, each with one number per column. Returns a promise to await if the disk does not keep up.
   *
   * @throws {Error} if the file is not open, or earlier rows could not be written
   */
  add(rows: readonly (readonly number[])[]): void | Promise<void> {
    if (this.#open === undefined) {
      throw new Error(`Cannot add rows to ${this.path}: it is not open`);
    }
    const text = rows.map((row) => `${row.map(cellOf).join(",")}\n`).join("");
    this.#waiting += text;
    this.#size += text.length; // digits are one byte each
    this.#writing ??= this.#writeAll(this.#open.end);
    this.check();
    if (this.#waiting.length > MOST_WAITING) return this.#writing;
  }

  /**
   * Size of the file in bytes, including rows that are not written yet; 0 before the file is opened. `truncate`
   * restores this state.
   */
  get size(): number {
    return this.#size;
  }

  /** True if there are rows besides the header. */
  get hasRows(): boolean {
    return this.#size > this.#header().length;
  }

  /**
   * Removes all bytes after the first `size` from the open file, except for the header. Does nothing if the file is
   * not longer.
   *
   * @throws {RangeError} if `size` is not a non-negative integer
   * @throws {Error} if the file is not open, or the file system refuses
   */
  async truncate(size: number): Promise<void> {
    checkLength(size, `truncate ${this.path}`);
    await this.#writing;
    const end = this.#open?.end;
    if (end === undefined) {
      throw new Error(`Cannot truncate ${this.path}: it is not open`);
    }
    if (size >= end.size) return;
    const header = this.#header();
    await end.cut(Math.max(size, header.length));
    this.#size = end.size;
  }

  /** Throws the first write error that no earlier call has thrown. The rows of the failed write are not in the file. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until all rows are on the disk. Throws the first write error that no earlier call has thrown. */
  async flush(): Promise<void> {
    await this.#writing;
    this.check();
    const open = this.#open;
    if (open === undefined) return;
    const syncing = syncFile(open.file, this.path);
    open.syncing = Promise.allSettled([open.syncing, syncing]);
    await syncing;
  }

  /** Writes pending rows and closes the file. Throws the first write error that no earlier call has thrown. */
  async close(): Promise<void> {
    await this.#writing;
    const open = this.#open;
    this.#open = undefined;
    await open?.syncing; // a checkpoint may still flush the file while the run ends
    try {
      await open?.file.close();
    } finally {
      this.check();
    }
  }

  /** Checks or writes the header, removes an incomplete last line, and returns the end of the file. */
  async #begin(file: OpenFile): Promise<FileEnd> {
    const header = this.#header();
    const { size } = await file.stat();
    const start = await readAt(file, 0, Math.min(size, header.length));
    const isHeader = start.every((byte, i) => byte === header[i]);
    if (!isHeader) throw await this.#otherHeader(file, size);
    const end = new FileEnd(file, this.path, size);
    const whole = size < header.length ? 0 : await endOfLines(file, size);
    if (whole < size) {
      await end.cut(whole); // a row that lacks only its newline may lack digits, too
      this.#onWarning(lineWarning(this.path, size - whole));
    }
    if (whole === 0) await end.add(header);
    this.#size = end.size;
    return end;
  }

  #header(): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(`${this.columns.map(nameCell).join(",")}\n`);
  }

  async #otherHeader(file: OpenFile, size: number): Promise<RangeError> {
    const start = new TextDecoder().decode(await readAt(file, 0, Math.min(size, CHUNK)));
    return new RangeError(
      `Cannot add rows to ${this.path}: its first line must be ${
        JSON.stringify(this.columns.map(nameCell).join(","))
      }; got ${JSON.stringify(start.split("\n")[0]!.slice(0, 200))}`,
    );
  }

  async #writeAll(end: FileEnd): Promise<void> {
    await Promise.resolve(); // rows that are added in one turn are written together
    try {
      while (this.#waiting !== "") {
        const bytes = new TextEncoder().encode(this.#waiting);
        this.#waiting = "";
        await end.add(bytes);
      }
    } catch (error) {
      this.#failure ??= { error };
      this.#size = end.size + this.#waiting.length; // lost rows do not count
    } finally {
      this.#writing = undefined;
    }
  }
}

function cellOf(value: number): string {
  return Number.isNaN(value) ? "" : Object.is(value, -0) ? "-0" : String(value);
}

function nameCell(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
