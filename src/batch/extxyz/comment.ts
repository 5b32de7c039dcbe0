/**
 * The comment line of extended XYZ: `key=value` pairs.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { readValue, type Value } from "./values.ts";

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', "{": "}", "[": "]" };

const OPENING: ReadonlySet<number> = new Set(
  Object.keys(CLOSING).map((each) => each.charCodeAt(0)),
);
const EQUALS = "=".charCodeAt(0), BACKSLASH = "\\".charCodeAt(0);
/** Largest number of keys. A line with more words is taken for prose. */
const MOST_KEYS = 100_000;

/** A key and its value, without quotes. `value` is undefined if the key has no `=`. */
interface Pair {
  key: string;
  value: string | undefined;
}

/**
 * Parses the pairs of a comment line. A key without `=` has the value true.
 *
 * @throws {SyntaxError} if a quote or bracket is not closed, a key is empty or repeated, the line has more than
 * 100,000 keys, or a `_JSON` value is invalid
 */
export function readPairs(line: string): Map<string, Value> {
  const pairs = new Map<string, Value>();
  for (const { key, value } of new PairScanner(line).all()) {
    if (key === "" || pairs.has(key)) {
      throw new SyntaxError(
        key === ""
          ? 'Cannot read a comment: each key must have a name; got ""'
          : `Cannot read a comment: each key must be given once; got ${show(key)} twice`,
      );
    }
    if (pairs.size === MOST_KEYS) {
      throw new SyntaxError(
        `Cannot read a comment: it must have at most ${MOST_KEYS} keys; got another key, ${
          show(key)
        }`,
      );
    }
    pairs.set(key, value === undefined ? true : readValue(value, key));
  }
  return pairs;
}

/**
 * Splits a comment line into pairs as ASE does: quotes and brackets may begin anywhere, and a backslash escapes the
 * next character.
 *
 * Text is cut out of the line in whole runs, because concatenating single characters used gigabytes of memory for a
 * comment of 100 MB.
 */
class PairScanner {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line.trim();
  }

  *all(): Generator<Pair> {
    while (this.#skipBlanks()) {
      const key = this.#word(EQUALS);
      const before = this.#at;
      this.#skipBlanks();
      if (this.#line.charCodeAt(this.#at) !== EQUALS) {
        this.#at = before;
        yield { key, value: undefined };
        continue;
      }
      this.#at++;
      this.#skipBlanks();
      yield { key, value: this.#word() };
    }
  }

  /** Skips blanks. Returns true if the line has more text after them. */
  #skipBlanks(): boolean {
    while (isBlank(this.#line.charCodeAt(this.#at))) this.#at++;
    return this.#at < this.#line.length;
  }

  /** Returns the text up to the next blank or the character `end`, without quotes. */
  #word(end?: number): string {
    let word = "";
    for (;;) {
      word += this.#run(end);
      const opening = this.#line[this.#at] ?? "";
      if (!Object.hasOwn(CLOSING, opening)) return word;
      word += this.#quoted(opening);
    }
  }

  /** Returns the text up to the next blank, quote, bracket or the character `end`. */
  #run(end: number | undefined): string {
    const line = this.#line, from = this.#at;
    let at = from, isEscaped = false;
    for (; at < line.length; at++) {
      const code = line.charCodeAt(at);
      if (code === BACKSLASH) {
        isEscaped = true;
        at++;
      } else if (code === end || OPENING.has(code) || isBlank(code)) break;
    }
    return this.#cut(from, at, isEscaped);
  }

  /** Returns the text between an opening character and its closing one. Brackets may be nested. */
  #quoted(opening: string): string {
    const line = this.#line, start = this.#at;
    const open = opening.charCodeAt(0), close = CLOSING[opening]!.charCodeAt(0);
    let at = start + 1, depth = 1, isEscaped = false;
    for (; at < line.length; at++) {
      const code = line.charCodeAt(at);
      if (code === BACKSLASH) {
        isEscaped = true;
        at++;
      } else if (code === close) depth--;
      else if (code === open) depth++;
      if (depth > 0) continue;
      const text = this.#cut(start + 1, at, isEscaped);
      this.#at = at + 1;
      return text;
    }
    throw new SyntaxError(
      `Cannot read a comment: the ${opening} at column ${start + 1} has no closing ${
        CLOSING[opening]
      }`,
    );
  }

  /** Returns the text between two indices, with escapes resolved, and continues after it. */
  #cut(from: number, to: number, isEscaped: boolean): string {
    this.#at = Math.min(to, this.#line.length);
    const text = this.#line.slice(from, to);
    return isEscaped ? text.replace(/\\([\s\S]?)/g, "$1") : text;
  }
}

function isBlank(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}
