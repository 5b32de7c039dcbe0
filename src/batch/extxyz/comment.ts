/**
 * The comment line of extended XYZ: `key=value` pairs.
 *
 * @module
 */

import { readValue, type Value } from "./values.ts";

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', "{": "}", "[": "]" };

/** A key with its value, both as text without quotes; without a value the key stands alone. */
interface Pair {
  key: string;
  value: string | undefined;
}

/**
 * The pairs of a comment line, by key. A key that stands alone is true.
 *
 * @throws {SyntaxError} for a quote or bracket that is not closed, a key that is empty or comes twice, and bad `_JSON`
 */
export function readPairs(line: string): Map<string, Value> {
  const pairs = new Map<string, Value>();
  for (const { key, value } of new PairScanner(line).all()) {
    if (key === "" || pairs.has(key)) {
      throw new SyntaxError(
        `Cannot read a comment as its keys must be different and not empty: current key is ${
          JSON.stringify(key)
        }`,
      );
    }
    pairs.set(key, value === undefined ? true : readValue(value, key));
  }
  return pairs;
}

/** Reads characters into pairs, as ASE does: quotes and brackets may begin anywhere, a backslash keeps what follows. */
class PairScanner {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line.trim();
  }

  *all(): Generator<Pair> {
    while (this.#skipBlanks()) {
      const key = this.#word(/[\s=]/);
      const before = this.#at;
      this.#skipBlanks();
      if (this.#line[this.#at] !== "=") {
        this.#at = before;
        yield { key, value: undefined };
        continue;
      }
      this.#at++;
      this.#skipBlanks();
      yield { key, value: this.#word(/\s/) };
    }
  }

  /** Whether anything is left after them. */
  #skipBlanks(): boolean {
    while (this.#at < this.#line.length && /\s/.test(this.#line[this.#at]!)) this.#at++;
    return this.#at < this.#line.length;
  }

  /** What stands before one of these characters, without its quotes. */
  #word(end: RegExp): string {
    let word = "";
    while (this.#at < this.#line.length && !end.test(this.#line[this.#at]!)) {
      const char = this.#line[this.#at]!;
      if (char === "\\") {
        word += this.#line[this.#at + 1] ?? "";
        this.#at += 2;
      } else if (Object.hasOwn(CLOSING, char)) {
        word += this.#quoted(char);
      } else {
        word += char;
        this.#at++;
      }
    }
    return word;
  }

  /** What stands between an opening character and its closing one; brackets may hold brackets. */
  #quoted(opening: string): string {
    const [start, closing] = [this.#at, CLOSING[opening]!];
    let text = "";
    let depth = 1;
    for (this.#at++; this.#at < this.#line.length; this.#at++) {
      let char = this.#line[this.#at]!;
      if (char === "\\") char = this.#line[++this.#at] ?? "";
      else if (char === closing) depth--;
      else if (char === opening) depth++;
      if (depth === 0) {
        this.#at++;
        return text;
      }
      text += char;
    }
    throw new SyntaxError(
      `Cannot read a comment as each ${opening} must have its ${closing}: current one at column ${
        start + 1
      } has none`,
    );
  }
}
