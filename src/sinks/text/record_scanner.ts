/**
 * Search for the records in a text file, without holding the content of the file in memory.
 *
 * @module
 */

import type { TextFormat } from "./text_format.ts";

const NEWLINE = 10;

/** State of the scan at the end of the scanned bytes: the incomplete line, and the record that it belongs to. */
interface OpenLine {
  /** Position in the file, in bytes, at which the next `push` continues. */
  at: number;
  /** Number of the line. */
  number: number;
  /** First bytes of the record, at most `startBytes` of the format. */
  start: Uint8Array;
  /** Number of lines that the record still lacks. */
  missing: number;
  /** True if the line does not belong to a record. */
  isBlank: boolean;
}

/** Scans the bytes of a file, piece by piece, and reports the position of each record. */
export class RecordScanner {
  /** Position in bytes of the first incomplete line or record. All content before it is complete. */
  end: number;
  /** Line number at `end`, from 1. */
  endLine: number;
  readonly #format: Pick<TextFormat<unknown>, "linesAfter" | "startBytes">;
  readonly #open: OpenLine;
  /** First line of the last record, if it has several lines. */
  #long: number | undefined;

  /** Creates a scanner that begins at a position between two records. */
  constructor(
    format: Pick<TextFormat<unknown>, "linesAfter" | "startBytes">,
    place: { readonly end: number; readonly endLine: number } = { end: 0, endLine: 1 },
  ) {
    this.#format = format;
    [this.end, this.endLine] = [place.end, place.endLine];
    this.#open = {
      at: place.end,
      number: place.endLine,
      start: new Uint8Array(0),
      missing: 0,
      isBlank: false,
    };
  }

  /**
   * Scans the next bytes of the file. Calls `found` with the position of the first byte and the number of the first
   * line of each record that these bytes complete. Throws the error of the format if the first line of a record is
   * not valid.
   */
  push(bytes: Uint8Array, found: (start: number, line: number) => void): void {
    const open = this.#open;
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(NEWLINE, from);
      if (at === -1) break;
      if (open.missing === 0) this.#begin(bytes.subarray(from, at));
      else open.missing--;
      open.number++;
      if (open.missing === 0) {
        if (!open.isBlank) {
          found(this.end, this.endLine);
          this.#long = open.number - this.endLine > 1 ? this.endLine : undefined;
        }
        [this.end, this.endLine] = [open.at + at + 1, open.number];
      }
      from = at + 1;
    }
    if (open.missing === 0) this.#keep(bytes.subarray(from));
    open.at += bytes.length;
  }

  #begin(rest: Uint8Array): void {
    this.#keep(rest);
    const open = this.#open;
    const missing = this.#linesAfter(decoded(open.start), open.number);
    open.isBlank = missing === -1;
    open.missing = Math.max(0, missing);
    open.start = new Uint8Array(0);
  }

  /** Calls the function of the format. If it throws, the number of lines of the record before may be wrong. */
  #linesAfter(start: string, line: number): number {
    try {
      return this.#format.linesAfter(start, line);
    } catch (error) {
      if (!(error instanceof SyntaxError) || this.#long === undefined) throw error;
      const hint =
        `The frame before it, which begins in line ${this.#long}, may have more or fewer rows than atoms`;
      throw new SyntaxError([error.message, hint].join(". "), { cause: error });
    }
  }

  #keep(bytes: Uint8Array): void {
    const { start } = this.#open;
    const room = this.#format.startBytes - start.length;
    if (room <= 0 || bytes.length === 0) return;
    const kept = new Uint8Array(start.length + Math.min(room, bytes.length));
    kept.set(start);
    kept.set(bytes.subarray(0, room), start.length);
    this.#open.start = kept;
  }
}

const DECODER = new TextDecoder();

/**
 * Decodes bytes that may end within a character. A byte-order mark and the carriage return of Windows are
 * left out.
 */
function decoded(bytes: Uint8Array): string {
  const text = DECODER.decode(bytes);
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
