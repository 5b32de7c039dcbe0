/**
 * Appending to files: each write is stored completely or not at all.
 *
 * @module
 */

import { type OpenFile, readAt, refusal } from "./open_file.ts";

const NEWLINE = 10;
const CHUNK = 1 << 16;

/** Appends to an open file. Each call of `add` writes all of its bytes, or leaves the file without them. */
export class FileEnd {
  readonly #file: Pick<OpenFile, "write" | "truncate">;
  readonly #path: string | URL;
  /** Size of the content in bytes, without the bytes of a failed write. */
  #size: number;
  /** True if the file may contain a part of a failed write after `#size`. */
  #isTorn = false;

  /**
   * Wraps a file that was opened in append mode: writes go to its end, regardless of its position.
   */
  constructor(file: Pick<OpenFile, "write" | "truncate">, path: string | URL, size: number) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends bytes. If the disk accepts only a part of them, that part is removed at once or, if that fails, before
   * the next write.
   */
  async add(bytes: Uint8Array): Promise<void> {
    const file = this.#file;
    try {
      if (this.#isTorn) await file.truncate(this.#size);
      this.#isTorn = true; // if the truncation below fails, too, the next call repeats it before it writes
      let done = 0;
      while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
      this.#size += bytes.length;
      this.#isTorn = false;
    } catch (error) {
      await file.truncate(this.#size).then(() => this.#isTorn = false, () => {}); // the first error is the cause
      throw refusal(this.#path, "write to", error);
    }
  }

  /** Shortens the file to `size` bytes. `verb` names the action in errors. */
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

/** Returns the warning for a part of a line that was removed. */
export function lineWarning(path: string | URL, bytes: number): string {
  return `${path} ended with an incomplete line (${bytes} bytes), as a killed process leaves it. The line was removed; ` +
    "all lines before it are complete";
}

/** Returns the position after the last complete line; 0 if there is no complete line. */
export async function endOfLines(file: Pick<OpenFile, "read">, size: number): Promise<number> {
  for (let end = size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK);
    const at = (await readAt(file, from, end - from)).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}
