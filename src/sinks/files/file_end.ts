/**
 * Files that are added to.
 *
 * @module
 */

import { type OpenFile, readAt, refusal } from "./open_file.ts";

const NEWLINE = 10;
const CHUNK = 1 << 16;

/** The end of an open file, where bytes are added: all of them, or none. */
export class FileEnd {
  readonly #file: Pick<OpenFile, "write" | "truncate">;
  readonly #path: string | URL;
  /** Bytes that are whole. */
  #size: number;
  /** Whether there may be a part of something behind them. */
  #isTorn = false;

  /** Of a file opened to be added to, wherever its position is. */
  constructor(file: Pick<OpenFile, "write" | "truncate">, path: string | URL, size: number) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes. Where the disk takes only some of them those are taken back, later if not at once. */
  async add(bytes: Uint8Array): Promise<void> {
    const file = this.#file;
    try {
      if (this.#isTorn) await file.truncate(this.#size);
      this.#isTorn = true;
      let done = 0;
      while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
      this.#size += bytes.length;
      this.#isTorn = false;
    } catch (error) {
      await file.truncate(this.#size).then(() => this.#isTorn = false, () => {}); // the first error says why
      throw refusal(this.#path, "write to", error);
    }
  }

  /** Leaves so many bytes. */
  async cut(size: number, verb: string = "write to"): Promise<void> {
    try {
      await this.#file.truncate(size);
    } catch (error) {
      throw refusal(this.#path, verb, error);
    }
    this.#size = size;
    this.#isTorn = false;
  }
}

/** Prints a warning: the default of `onWarning`. */
export function printWarning(message: string): void {
  // deno-lint-ignore no-console house/no-console -- an unseen warning would be worse; `onWarning` replaces this
  console.warn(message);
}

/** Returns the warning for a part of a line that was removed. */
export function lineWarning(path: string | URL, bytes: number): string {
  return `${path} ended with a part of a line (${bytes} bytes), as a process that is killed leaves it. It was removed; ` +
    "the lines before it are whole";
}

/** Returns where the last whole line ends. */
export async function endOfLines(file: Pick<OpenFile, "read">, size: number): Promise<number> {
  for (let end = size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK);
    const at = (await readAt(file, from, end - from)).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}
