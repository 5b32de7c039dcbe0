/**
 * Finds the records in a file of text without keeping it.
 *
 * @module
 */

import type { TextFormat } from "./text_format.ts";

const NEWLINE = 10;

/** Looks at the bytes of a file, piece by piece, and tells where each of its records begins. */
export class RecordScanner {
  /** Where the line begins that is not whole yet, or the record it belongs to: all before was whole. */
  end: number;
  /** The number of that line. */
  endLine: number;
  readonly #format: Pick<TextFormat<unknown>, "linesAfter" | "startBytes">;
  // Of the present line: where the next bytes are, its number, its first bytes, and how many the record still lacks.
  #at: number;
  #line: number;
  #start = new Uint8Array(0);
  #missing = 0;
  #isBlank = false;

  /** Begins at a place between two records. */
  constructor(
    format: Pick<TextFormat<unknown>, "linesAfter" | "startBytes">,
    place: { readonly end: number; readonly endLine: number } = { end: 0, endLine: 1 },
  ) {
    this.#format = format;
    [this.end, this.endLine] = [place.end, place.endLine];
    [this.#at, this.#line] = [place.end, place.endLine];
  }

  /** Calls back for each record that these bytes complete. Throws what the format says of its first line. */
  push(bytes: Uint8Array, found: (start: number, line: number) => void): void {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(NEWLINE, from);
      if (at === -1) break;
      if (this.#missing === 0) this.#begin(bytes.subarray(from, at));
      else this.#missing--;
      this.#line++;
      if (this.#missing === 0) {
        if (!this.#isBlank) found(this.end, this.endLine);
        [this.end, this.endLine] = [this.#at + at + 1, this.#line];
      }
      from = at + 1;
    }
    if (this.#missing === 0) this.#keep(bytes.subarray(from));
    this.#at += bytes.length;
  }

  #begin(rest: Uint8Array): void {
    this.#keep(rest);
    const missing = this.#format.linesAfter(decoded(this.#start), this.#line);
    this.#isBlank = missing === -1;
    this.#missing = Math.max(0, missing);
    this.#start = new Uint8Array(0);
  }

  #keep(bytes: Uint8Array): void {
    const room = this.#format.startBytes - this.#start.length;
    if (room <= 0 || bytes.length === 0) return;
    const kept = new Uint8Array(this.#start.length + Math.min(room, bytes.length));
    kept.set(this.#start);
    kept.set(bytes.subarray(0, room), this.#start.length);
    this.#start = kept;
  }
}

/** Text of bytes that may end within a letter; a byte-order mark and what ends a line on Windows are no part of it. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r$/, "");
}
