/**
 * Lines at the end of a file.
 *
 * @module
 */

import { AddedFile } from "./added_file.ts";
import { endOfLines, FileEnd } from "./file_end.ts";
import { openPrepared, refusal } from "./open_file.ts";

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
  /** The path of the file. */
  readonly path: string | URL;
  #file: AddedFile | undefined;

  /** Makes a `LineFile`; nothing is opened yet. */
  constructor(path: string | URL) {
    this.path = path;
  }

  /**
   * Opens the file; its folder must exist.
   *
   * @throws {TypeError} if there is no file system
   * @throws {Error} when the file system refuses, with its `code` and its error as `cause`
   */
  async open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = await openPrepared(this.path, async (file) => {
      try {
        const { size } = await file.stat(), whole = await endOfLines(file, size);
        if (whole < size) await file.truncate(whole);
        return new AddedFile(file, new FileEnd(file, this.path, whole));
      } catch (error) {
        throw refusal(this.path, "open", error);
      }
    });
  }

  /**
   * Adds a line, given without its newline. Returns a promise to await if the disk does not keep up.
   *
   * @throws {Error} if the file is not open, or if an earlier line could not be written
   */
  add(line: string): void | Promise<void> {
    if (this.#file === undefined) {
      throw new Error(`Cannot add a line to ${this.path} as it must be open: it is not`);
    }
    return this.#file.add(new TextEncoder().encode(`${line}\n`));
  }

  /** Waits until every line is on the disk. Throws the first error since the last call that threw. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Writes pending lines, and closes the file. Throws the first error since the last call that threw. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
