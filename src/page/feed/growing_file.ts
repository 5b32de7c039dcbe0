/**
 * Files that another process appends to.
 *
 * @module
 */

import { codeOf, refusal } from "../../base/file_refusal.ts";
import { builtin } from "../../platform/process.ts";

/** Bytes before the position that are compared, to notice that a file was written anew. */
const OVERLAP = 64;

/** Largest part that is read at once, bytes. */
const PART = 1 << 20;

/** New lines of a file. */
export interface NewLines {
  /** Whole lines since the last call, without newlines. */
  readonly lines: readonly string[];
  /** True if the lines begin at the start of the file, as after it was replaced or truncated. */
  readonly isAnew: boolean;
}

/** Follows the lines of a text file. A line is read once it has its newline. */
export class GrowingFile {
  readonly path: string;
  #position = 0;
  #tail = new Uint8Array();
  #rest: Uint8Array = new Uint8Array();

  /** Does not open the file, which need not exist yet. */
  constructor(path: string) {
    this.path = path;
  }

  /** Reads the lines since the last call; undefined if there are none. Throws an Error if the file cannot be read. */
  async next(): Promise<NewLines | undefined> {
    const { open } = builtin("node:fs/promises");
    let file;
    try {
      file = await open(this.path, "r");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw refusal(`Cannot read ${this.path}`, error);
    }
    try {
      const { size } = await file.stat();
      const isAnew = this.#position === 0 || size < this.#position || !await this.#continues(file);
      if (isAnew) this.#position = 0, this.#rest = new Uint8Array();
      if (size === this.#position) return undefined;
      const lines: string[] = [];
      while (this.#position < size) {
        const part = new Uint8Array(Math.min(PART, size - this.#position));
        const { bytesRead } = await file.read(part, 0, part.length, this.#position);
        if (bytesRead === 0) break;
        this.#take(part.subarray(0, bytesRead), lines);
      }
      return lines.length === 0 ? undefined : { lines, isAnew };
    } catch (error) {
      throw refusal(`Cannot read ${this.path}`, error);
    } finally {
      await file.close();
    }
  }

  /** Returns whether the bytes before the position are those that were read. */
  async #continues(file: { read: FileRead }): Promise<boolean> {
    const bytes = new Uint8Array(this.#tail.length);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#position - bytes.length);
    return bytesRead === bytes.length && bytes.every((byte, i) => byte === this.#tail[i]);
  }

  #take(part: Uint8Array, lines: string[]): void {
    this.#position += part.length;
    const known = joined(this.#tail, part);
    this.#tail = known.slice(Math.max(0, known.length - OVERLAP));
    const bytes = joined(this.#rest, part), end = bytes.lastIndexOf(0x0a) + 1;
    this.#rest = bytes.slice(end);
    if (end === 0) return;
    const text = new TextDecoder().decode(bytes.subarray(0, end - 1));
    for (const line of text.split("\n")) lines.push(line.replace(/\r$/, ""));
  }
}

type FileRead = (
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesRead: number }>;

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
