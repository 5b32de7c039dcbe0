/**
 * Lines at the end of a file.
 *
 * @module
 */

import { AddedFile } from "./added_file.ts";
import { endOfLines, FileEnd } from "./file_end.ts";
import { openFile, refusal } from "./open_file.ts";

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
  #file: AddedFile | undefined;

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
    const file = await openFile(this.path, "a+");
    try {
      const { size } = await file.stat(), whole = await endOfLines(file, size);
      if (whole < size) await file.truncate(whole);
      this.#file = new AddedFile(file, new FileEnd(file, this.path, whole));
    } catch (error) {
      await file.close().catch(() => {}); // the first error says why
      throw refusal(this.path, "open", error);
    }
  }

  /**
   * Adds a line, without its newline. Answers with something to await when the disk does not keep up.
   *
   * @throws {Error} where it is not open, and for what went wrong with earlier lines
   */
  add(line: string): void | Promise<void> {
    if (this.#file === undefined) {
      throw new Error(`Cannot add a line to ${this.path} as it must be open: it is not`);
    }
    return this.#file.add(new TextEncoder().encode(`${line}\n`));
  }

  /** Waits until every line is in the file, and safe. Throws what went wrong since somebody last asked. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Writes what is left, and closes the file. Throws what went wrong since somebody last asked. */
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
