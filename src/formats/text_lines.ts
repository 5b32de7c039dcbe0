/**
 * Reading of text files line by line, and errors that name the line.
 *
 * @module
 */

import { show } from "../base/show.ts";
import type { StructureSource } from "./source.ts";

/** The lines of a text file, with a position. */
export class TextLines {
  /** Number of the line that was read last, from 1; 0 before the first. */
  number = 0;
  /** Text of the line that was read last. */
  line = "";
  readonly #format: string;
  readonly #name: string;
  readonly #lines: Iterator<string>;
  #waiting: string | undefined;

  constructor(source: StructureSource, format: string) {
    this.#format = format;
    this.#name = source.name;
    this.#lines = source.lines()[Symbol.iterator]();
  }

  /** Returns the next line without reading it; `undefined` at the end. */
  peek(): string | undefined {
    this.#waiting ??= this.#fetch();
    return this.#waiting;
  }

  /** Reads the next line; returns `undefined` at the end. */
  next(): string | undefined {
    const line = this.peek();
    if (line === undefined) return undefined;
    this.#waiting = undefined;
    this.number++;
    return this.line = line;
  }

  /** Reads the next line. Throws a SyntaxError if the file ends, which names what is missing. */
  need(what: string): string {
    const line = this.next();
    if (line === undefined) throw this.error(`the file ends, but ${what} must follow`, null);
    return line;
  }

  /** Skips blank lines and reads the next line; returns `undefined` at the end. */
  nextUnlessBlank(): string | undefined {
    for (;;) {
      const line = this.next();
      if (line === undefined || line.trim() !== "") return line;
    }
  }

  /** Reads a line of `count` finite numbers or more, and returns these numbers. Further words are ignored. */
  numbers(count: number, what: string): number[] {
    const words = this.need(what).trim().split(/\s+/);
    return Array.from({ length: count }, (_, i) => this.parse(words[i], what));
  }

  /** Returns a word as a finite number. Fortran's exponents (1.0D-3) are accepted. */
  parse(word: string | undefined, what: string): number {
    const value = word === undefined || word === ""
      ? NaN
      : Number(/^[-+\d.]+[dD][-+]?\d+$/.test(word) ? word.replace(/d/i, "e") : word);
    if (Number.isFinite(value)) return value;
    throw this.error(`${what} must be a number`, word ?? this.line);
  }

  /** Returns the error for an invalid line. */
  error(requirement: string, got: string | null = this.line): SyntaxError {
    return new SyntaxError(
      `Cannot read ${this.#name} as ${this.#format}: line ${this.number}: ${requirement}${
        got === null ? "" : `; got ${show(got.slice(0, 60))}`
      }`,
    );
  }

  #fetch(): string | undefined {
    const { done, value } = this.#lines.next();
    if (done) return undefined;
    return this.number === 0 ? value.replace(/^\ufeff/, "") : value;
  }
}
