/**
 * Tables in files of comma-separated values.
 *
 * @module
 */

/** An open file. */
interface OpenFile {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 10;
// So much text may wait for the disk before whoever adds to it should wait, too.
const MOST_WAITING = 1 << 20;
const CHUNK = 1 << 16;

/**
 * Adds rows to a file of comma-separated values. A new file gets a header first; one that is there must have the same
 * header, and is added to. A last row that a kill has left unfinished is taken off.
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
  #file: OpenFile | undefined;
  #size = 0;
  #waiting = "";
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Nothing is opened yet. */
  constructor(path: string | URL, columns: readonly string[]) {
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
    if (this.#file !== undefined) return;
    const file = await openFile(this.path);
    try {
      await this.#begin(file);
    } catch (error) {
      await file.close().catch(() => {}); // the first error says why
      throw error;
    }
    this.#file = file;
  }

  /**
   * Adds rows, each with one number per column. Answers with something to await when the disk does not keep up.
   *
   * @throws {Error} for a file that is not open, and for what went wrong with earlier rows
   */
  add(rows: readonly (readonly number[])[]): void | Promise<void> {
    if (this.#file === undefined) {
      throw new Error(`Cannot add rows to ${this.path} as it must be open: it is not`);
    }
    this.#waiting += rows.map((row) => `${row.map(cellOf).join(",")}\n`).join("");
    this.#writing ??= this.#writeAll(this.#file);
    this.check();
    if (this.#waiting.length > MOST_WAITING) return this.#writing;
  }

  /** Throws what went wrong since somebody last asked: those rows are not in the file. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  /** Waits until every row was written. Throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#writing;
    this.check();
  }

  /** Writes what is left, and closes the file. Throws what went wrong since somebody last asked. */
  async close(): Promise<void> {
    await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    try {
      await file?.close();
    } finally {
      this.check();
    }
  }

  async #begin(file: OpenFile): Promise<void> {
    const header = new TextEncoder().encode(`${this.columns.map(nameCell).join(",")}\n`);
    const { size } = await file.stat();
    const start = await readAt(file, 0, Math.min(size, header.length));
    const isHeader = start.every((byte, i) => byte === header[i]);
    if (!isHeader) throw await this.#otherHeader(file, size);
    this.#size = size < header.length ? 0 : await endOfRows(file, size);
    if (this.#size < size) await file.truncate(this.#size);
    if (this.#size === 0) await this.#write(file, header);
  }

  async #otherHeader(file: OpenFile, size: number): Promise<RangeError> {
    const start = new TextDecoder().decode(await readAt(file, 0, Math.min(size, CHUNK)));
    return new RangeError(
      `Cannot add rows to ${this.path} as its first line must be ${
        JSON.stringify(this.columns.map(nameCell).join(","))
      }: current line is ${JSON.stringify(start.split("\n")[0]!.slice(0, 200))}`,
    );
  }

  async #writeAll(file: OpenFile): Promise<void> {
    await Promise.resolve(); // rows that are added at once go to the disk at once
    try {
      while (this.#waiting !== "") {
        const bytes = new TextEncoder().encode(this.#waiting);
        this.#waiting = "";
        await this.#write(file, bytes);
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#writing = undefined;
    }
  }

  /** All of the bytes, or none. */
  async #write(file: OpenFile, bytes: Uint8Array): Promise<void> {
    try {
      let done = 0;
      while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
      this.#size += bytes.length;
    } catch (error) {
      await file.truncate(this.#size).catch(() => {}); // the first error says why
      throw refusal(this.path, "write to", error);
    }
  }
}

/** Loaded when it is used: a page has no such module. */
async function openFile(path: string | URL): Promise<OpenFile> {
  let fs: { open(path: string | URL, flags: "a+"): Promise<OpenFile> };
  try {
    fs = await import("node:fs/promises");
  } catch (cause) {
    throw new TypeError(`Cannot open ${path} as there must be a file system: there is none`, {
      cause,
    });
  }
  try {
    return await fs.open(path, "a+");
  } catch (error) {
    throw refusal(path, "open", error);
  }
}

function refusal(path: string | URL, verb: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Cannot ${verb} ${path} as the file system must let it: ${reason}`, { cause });
}

async function readAt(file: OpenFile, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Where the last whole row ends. */
async function endOfRows(file: OpenFile, size: number): Promise<number> {
  for (let end = size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK);
    const at = (await readAt(file, from, end - from)).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}

function cellOf(value: number): string {
  return Number.isNaN(value) ? "" : Object.is(value, -0) ? "-0" : String(value);
}

function nameCell(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
