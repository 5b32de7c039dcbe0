/**
 * Appending of lines to a file.
 *
 * @module
 */

import { AddedFile } from "./added_file.ts";
import { printWarning } from "../../base/print_warning.ts";
import { endOfLines, FileEnd, lineWarning } from "./file_end.ts";
import { type OpenFile, openPrepared, readAt, refusal } from "./open_file.ts";

/** Largest size in bytes of an incomplete last line that is kept if it is complete JSON. A longer line is removed. */
const MOST_BYTES = 1 << 26;

/** Options of a {@linkcode LineFile}. */
export interface LineFileOptions {
  /**
   * Function that receives a warning if the file ended with a part of a line, which was removed.
   *
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void;
}

/**
 * Appends lines to a file, which is created if it does not exist. If a killed process left a part of a line at the
 * end, that part is removed first, with a warning. A JSON object or list that lacks only its newline is kept. Lines
 * are written in the background, in order, and entirely.
 *
 * @example
 * ```ts
 * import { LineFile } from "@hooke/hooke/sinks";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/rows.jsonl`;
 * await Deno.writeTextFile(path, '{"step":0}\n{"st'); // as a kill leaves it
 * const file = new LineFile(path, { onWarning: () => {} });
 * await file.open();
 * file.add('{"step":1}');
 * await file.close();
 * assertEquals(await Deno.readTextFile(path), '{"step":0}\n{"step":1}\n');
 * ```
 */
export class LineFile implements AsyncDisposable {
  /** Path of the file. */
  readonly path: string | URL;
  readonly #onWarning: (message: string) => void;
  #file: AddedFile | undefined;

  /** Creates the writer of lines. The file is opened by `open`. */
  constructor(path: string | URL, { onWarning = printWarning }: LineFileOptions = {}) {
    this.path = path;
    this.#onWarning = onWarning;
  }

  /**
   * Opens the file. Creates it, and its folder, if they do not exist.
   *
   * @throws {TypeError} if there is no file system
   * @throws {Error} if the file system refuses, with its `code` and its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = await openPrepared(this.path, async (file) => {
      try {
        const { size } = await file.stat(), whole = await endOfLines(file, size);
        const end = new FileEnd(file, this.path, size);
        if (whole < size) await this.#endLine(file, end, whole);
        return new AddedFile(file, end);
      } catch (error) {
        throw refusal(this.path, "open", error);
      }
    });
  }

  /** Appends the newline to a last line that is complete JSON, and removes any other incomplete last line. */
  async #endLine(file: OpenFile, end: FileEnd, whole: number): Promise<void> {
    const { size } = end, length = size - whole;
    if (length <= MOST_BYTES && isWholeJson(await readAt(file, whole, length))) {
      return await end.add(new TextEncoder().encode("\n"));
    }
    await end.cut(whole);
    this.#onWarning(lineWarning(this.path, length));
  }

  /**
   * Appends a line, given without its newline. Returns a promise to await if the disk does not keep up.
   *
   * @throws {Error} if the file is not open, or if an earlier line could not be written
   */
  add(line: string): void | Promise<void> {
    if (this.#file === undefined) {
      throw new Error(`Cannot add a line to ${this.path}: it is not open`);
    }
    return this.#file.add(new TextEncoder().encode(`${line}\n`));
  }

  /** Waits until every line is on the disk. Throws the first write error that no earlier call has thrown. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Writes pending lines and closes the file. Throws the first write error that no earlier call has thrown. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Closes the file, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Returns whether bytes are a complete JSON object or list. A part of an object or list is not valid JSON, but a part
 * of a number may be a number, so other values are refused.
 */
function isWholeJson(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /^[[{]/.test(text) && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
