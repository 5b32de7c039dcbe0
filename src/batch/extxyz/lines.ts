/**
 * Reading of the lines of a file, and errors that name a line.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Reads the lines of a text one by one, and counts them. */
export class LineReader {
  /** Number of the line that was read last, from 1; 0 before the first. */
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
    return this.number === 1 && value.startsWith("\ufeff") ? value.slice(1) : value;
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

/** Yields the lines of a text one by one, because an array of all lines would hold a large file in memory twice. */
function* linesOf(text: string): Generator<string, void> {
  // Without carriage returns, lines are found without a regular expression, which takes much longer.
  if (text.includes("\r")) return yield* linesWithReturns(text);
  let from = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
    yield text.slice(from, at);
    from = at + 1;
  }
  if (from < text.length) yield text.slice(from);
}

function* linesWithReturns(text: string): Generator<string, void> {
  const end = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    yield text.slice(from, match.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/** Returns the error for an invalid line. It shows the first 60 characters of `text`. */
export function bad(requirement: string, line: number, text: string): SyntaxError {
  return new SyntaxError(
    `Cannot read extxyz: line ${line}: ${requirement}; got ${JSON.stringify(text.slice(0, 60))}`,
  );
}
