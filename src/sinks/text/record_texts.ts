/**
 * Reading of the texts of records from a file.
 *
 * @module
 */

import { type OpenFile, readAt } from "../files/open_file.ts";

/** Smallest number of bytes that are read at once. A request to the system takes longer than parsing a record. */
const BLOCK = 1 << 18;

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** Reads texts by their positions. Texts in ascending order need one request for many of them. */
export class RecordTexts {
  readonly #file: OpenFile;
  readonly #path: string;
  /** End of the part of the file that may be read ahead. */
  readonly #end: number;
  #from = 0;
  #block: Uint8Array = new Uint8Array(0);

  constructor(file: OpenFile, path: string, end: number) {
    this.#file = file;
    this.#path = path;
    this.#end = end;
  }

  /** Returns the text between two positions in bytes. Throws a SyntaxError if it is not UTF-8. */
  async text(start: number, end: number): Promise<string> {
    const bytes = this.#known(start, end) ?? await this.#read(start, end);
    try {
      return DECODER.decode(bytes);
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${this.#path}: bytes ${start} to ${end} are not text in UTF-8`,
        { cause },
      );
    }
  }

  #known(start: number, end: number): Uint8Array | undefined {
    const from = start - this.#from;
    if (from < 0 || end > this.#from + this.#block.length) return undefined;
    return this.#block.subarray(from, end - this.#from);
  }

  async #read(start: number, end: number): Promise<Uint8Array> {
    const last = Math.max(end, Math.min(start + BLOCK, this.#end));
    this.#block = await readAt(this.#file, start, last - start);
    this.#from = start;
    return this.#block.subarray(0, end - start);
  }
}
