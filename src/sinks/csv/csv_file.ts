/**
 * Tables in files of comma-separated values.
 *
 * @module
 */

import type { LineFileOptions } from "../files/line_file.ts";
import { checkLength } from "../check_length.ts";
import { endOfLines, FileEnd, lineWarning, printWarning } from "../files/file_end.ts";
import { type OpenFile, openPrepared, readAt, syncFile } from "../files/open_file.ts";

// So much text may wait for the disk before whoever adds to it should wait, too.
const MOST_WAITING = 1 << 20;
const CHUNK = 1 << 16;

/**
 * Adds rows to a file of comma-separated values. A new file gets a header first; one that is there must have the same
 * header, and is added to. If a kill left a part of a row at the end, that is removed with a warning.
 *
 * Rows are written in the background, in order, and always whole: where the disk takes only a part of some, that part
 * is taken back. Numbers are written so that reading gives the same number; what is not a number is an empty cell.
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
  /** Where it is. */
  readonly path: string | URL;
  /** What its columns are called. */
  readonly columns: readonly string[];
  readonly #onWarning: (message: string) => void;
  #open: { readonly file: OpenFile; readonly end: FileEnd } | undefined;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #size = 0;

  /** Nothing is opened yet. */
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
   * Opens the file, and makes it if it is not there.
   *
   * @throws {TypeError} where there is no file system
   * @throws {RangeError} for a file with another header, which stays as it is
   * @throws {Error} when the file system refuses, with its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#open !== undefined) return;
    this.#open = await openPrepared(
      this.path,
      async (file) => ({ file, end: await this.#begin(file) }),
    );
  }

  /**
   * Adds rows, each with one number per column. Answers with something to await when the disk does not keep up.
   *
   * @throws {Error} for a file that is not open, and for what went wrong with earlier rows
   */
  add(rows: readonly (readonly number[])[]): void | Promise<void> {
    if (this.#open === undefined) {
      throw new Error(`Cannot add rows to ${this.path}: it must be open: it is not`);
    }
    const text = rows.map((row) => `${row.map(cellOf).join(",")}\n`).join("");
    this.#waiting += text;
    this.#size += text.length; // digits are one byte each
    this.#writing ??= this.#writeAll(this.#open.end);
    this.check();
    if (this.#waiting.length > MOST_WAITING) return this.#writing;
  }

  /** Bytes in the file, once it was opened, and on the way to it: where `truncate` can cut it back to. */
  get size(): number {
    return this.#size;
  }

  /** True if there are rows besides the header. */
  get hasRows(): boolean {
    return this.#size > this.#header().length;
  }

  /**
   * Takes off all bytes but the first so many, of a file that is open; nothing where there are no more.
   *
   * @throws {RangeError} for what is no whole number
   * @throws {Error} for a file that is not open, and when the file system refuses
   */
  async truncate(size: number): Promise<void> {
    checkLength(size, `truncate ${this.path}`);
    await this.#writing;
    const end = this.#open?.end;
    if (end === undefined) {
      throw new Error(`Cannot truncate ${this.path}: it must be open: it is not`);
    }
    if (size >= end.size) return;
    const header = this.#header();
    await end.cut(Math.max(size, header.length));
    this.#size = end.size;
  }

  /** Throws what went wrong since somebody last asked: those rows are not in the file. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until every row was written, and the disk has it. Throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#writing;
    this.check();
    if (this.#open !== undefined) await syncFile(this.#open.file, this.path);
  }

  /** Writes what is left, and closes the file. Throws what went wrong since somebody last asked. */
  async close(): Promise<void> {
    await this.#writing;
    const file = this.#open?.file;
    this.#open = undefined;
    try {
      await file?.close();
    } finally {
      this.check();
    }
  }

  /** Checks or writes the header, takes off what a kill has left of a line, and returns the end of the file. */
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
      }: current line is ${JSON.stringify(start.split("\n")[0]!.slice(0, 200))}`,
    );
  }

  async #writeAll(end: FileEnd): Promise<void> {
    await Promise.resolve(); // rows that are added at once go to the disk at once
    try {
      while (this.#waiting !== "") {
        const bytes = new TextEncoder().encode(this.#waiting);
        this.#waiting = "";
        await end.add(bytes);
      }
    } catch (error) {
      this.#failure ??= { error };
      this.#size = end.size + this.#waiting.length; // rows that were lost do not count
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
