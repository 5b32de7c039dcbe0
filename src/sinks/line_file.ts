/**
 * Lines at the end of a file.
 *
 * @module
 */

import { WriterQueue } from "./writer_queue.ts";

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
  datasync(): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 10;
const CHUNK = 1 << 16;

/**
 * Adds lines to a file, which is made if it is not there. A last line that a kill has left unfinished is taken off
 * first. Lines are written in the background, in order, and always whole.
 *
 * @example
 * ```ts
 * import { LineFile } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/rows.jsonl`;
 * await Deno.writeTextFile(path, '{"step":0}\n{"st'); // as a kill leaves it
 * const file = new LineFile(path);
 * await file.open();
 * file.add('{"step":1}');
 * await file.close();
 * assertEquals(await Deno.readTextFile(path), '{"step":0}\n{"step":1}\n');
 * ```
 */
export class LineFile implements AsyncDisposable {
  /** Where it is. */
  readonly path: string | URL;
  readonly #queue = new WriterQueue();
  #file: OpenFile | undefined;
  #size = 0;

  /** Nothing is opened yet. */
  constructor(path: string | URL) {
    this.path = path;
  }

  /**
   * Opens the file, in a folder that is there.
   *
   * @throws {TypeError} where there is no file system
   * @throws {Error} when the file system refuses, with its `code` and its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    const file = await openFile(this.path);
    try {
      const { size } = await file.stat();
      this.#size = await endOfLines(file, size);
      if (this.#size < size) await file.truncate(this.#size);
    } catch (error) {
      await file.close().catch(() => {}); // the first error says why
      throw refusal(this.path, "open", error);
    }
    this.#file = file;
  }

  /**
   * Adds a line, without its newline. Answers with something to await when the disk does not keep up.
   *
   * @throws {Error} where it is not open, and for what went wrong with earlier lines
   */
  add(line: string): void | Promise<void> {
    const file = this.#file;
    if (file === undefined) {
      throw new Error(`Cannot add a line to ${this.path} as it must be open: it is not`);
    }
    const bytes = new TextEncoder().encode(`${line}\n`);
    return this.#queue.add(() => this.#write(file, bytes), bytes.length);
  }

  /** Waits until every line is in the file, and safe. Throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#queue.flush();
    await this.#file?.datasync();
  }

  /** Writes what is left, and closes the file. Throws what went wrong since somebody last asked. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    try {
      await this.#queue.flush();
    } finally {
      await file?.close();
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** All of a line, or none of it. */
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
  const { message: reason = String(cause), code } = cause as Partial<Error> & { code?: unknown };
  const message = `Cannot ${verb} ${path} as the file system must let it: ${reason}`;
  return Object.assign(new Error(message, { cause }), code && { code });
}

/** Where the last whole line ends. */
async function endOfLines(file: OpenFile, size: number): Promise<number> {
  const bytes = new Uint8Array(CHUNK);
  for (let end = size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK);
    const { bytesRead } = await file.read(bytes, 0, end - from, from);
    const at = bytes.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}
