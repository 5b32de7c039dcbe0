/**
 * The lines of a file, and what is said of bad ones.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Lines with their numbers. */
export class LineReader {
  /** The number of the line given last, from 1. */
  number = 0;
  readonly #lines: Iterator<string>;

  constructor(source: string | Iterable<string>) {
    const isText = typeof source === "string";
    if (!isText && !isLines(source)) {
      throw new TypeError(
        `Cannot read extxyz as the source must be a text or its lines: current value is ${
          show(source)
        }`,
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

// An iterable object, but no bytes.
function isLines(source: unknown): source is Iterable<string> {
  return typeof source === "object" && source !== null && Symbol.iterator in source &&
    !ArrayBuffer.isView(source);
}

/** One after the other, so that a large file is not held twice. */
function* linesOf(text: string): Generator<string, void> {
  const end = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    yield text.slice(from, match.index);
    from = end.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}

/** The error for a line that is not what it must be. */
export function bad(requirement: string, line: number, text: string): SyntaxError {
  return new SyntaxError(
    `Cannot read extxyz as ${requirement}: line ${line} has ${JSON.stringify(text.slice(0, 60))}`,
  );
}
