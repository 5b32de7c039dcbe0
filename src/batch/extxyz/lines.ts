/**
 * Lines of a file, and errors about them.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Reads lines and counts them. */
export class LineReader {
  /** Number of the last line, from 1. */
  number = 0;
  readonly #lines: Iterator<string>;

  constructor(source: string | Iterable<string>) {
    const isText = typeof source === "string";
    if (!isText && !isLines(source)) {
      throw new TypeError(
        `Cannot read extxyz: the source must be a string or its lines; got ${show(source)}`,
      );
    }
    this.#lines = isText ? linesOf(source) : source[Symbol.iterator]();
  }

  next(): string | undefined {
    const { done, value } = this.#lines.next();
    if (done) return undefined;
    this.number++;
    return this.number === 1 ? value.replace(/^\ufeff/, "") : value;
  }

  nextUnlessBlank(): string | undefined {
    for (;;) {
      const line = this.next();
      if (line === undefined || line.trim() !== "") return line;
    }
  }
}

// Returns whether a value is an iterable object other than bytes.
function isLines(source: unknown): source is Iterable<string> {
  return typeof source === "object" && source !== null && Symbol.iterator in source &&
    !ArrayBuffer.isView(source);
}

/** Splits lazily, so that a large file is not in memory twice. */
function* linesOf(text: string): Generator<string, void> {
  const end = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    yield text.slice(from, match.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/** Returns the error for an invalid line. */
export function bad(requirement: string, line: number, text: string): SyntaxError {
  return new SyntaxError(
    `Cannot read extxyz: line ${line}: ${requirement}; got ${JSON.stringify(text.slice(0, 60))}`,
  );
}
