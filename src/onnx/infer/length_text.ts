/**
 * Parser for names of lengths in files, which often are formulas: "4*N", "s0 + s1" or "(s0//2)".
 *
 * @module
 */

import {
  addPolynomials,
  dividePolynomials,
  isUnwieldy,
  multiplyPolynomials,
  type Polynomial,
  polynomialOfName,
  polynomialOfNumber,
  writePolynomial,
} from "./polynomial.ts";

/** Pattern of a name. A hyphen between letters belongs to the name: "seq-len". */
const NAME = /[A-Za-z_?$][\w.:?$]*(?:-[A-Za-z_][\w.:?$]*)*/y;
const NUMBER = /\d+/y;
/** Maximum length of a formula. Longer texts are treated as names, because the parser recurses once per bracket. */
const LONGEST = 240;

/** Parses a text as a polynomial. A text that is not a formula becomes a name. */
export function readLength(text: string): Polynomial {
  return parse(text) ?? polynomialOfName(text);
}

/** Returns whether a name may be written without brackets because it is always parsed as this name. */
export function isPlainName(name: string): boolean {
  return parse(name)?.get(name) === 1;
}

function parse(text: string): Polynomial | undefined {
  if (text.length > LONGEST) return undefined;
  const reader = new Reader(text);
  const value = reader.sum();
  return value !== undefined && reader.isAtEnd() && !isUnwieldy(value) ? value : undefined;
}

/**
 * Returns a / b rounded down: a polynomial if the division is exact, otherwise a polynomial with a name such as
 * "(N//2)" for the part that cannot be divided.
 */
export function floorDividePolynomials(a: Polynomial, b: Polynomial): Polynomial {
  const exact = dividePolynomials(a, b);
  if (exact !== undefined) return exact;
  const divisor = b.size === 1 ? b.get("") : undefined;
  if (divisor === undefined || divisor <= 0) return polynomialOfName(quotientName(a, b));
  const whole = new Map<string, number>(), rest = new Map<string, number>();
  for (const [key, count] of a) {
    const times = Math.floor(count / divisor);
    if (times !== 0) whole.set(key, times);
    if (count !== times * divisor) rest.set(key, count - times * divisor);
  }
  // A remainder below the divisor adds nothing.
  if (rest.size === 1 && rest.has("")) return whole;
  return addPolynomials(whole, polynomialOfName(quotientName(rest, b)), 1);
}

function quotientName(a: Polynomial, b: Polynomial): string {
  const part = (p: Polynomial) => {
    const text = writePolynomial(p, isPlainName);
    return /^[\w.?$]+$/.test(text) ? text : `(${text})`;
  };
  return `(${part(a)}//${part(b)})`;
}

/** Splits a name that is a quotient, a Max or a Min into its two operands. Returns `undefined` for other names. */
export function partsOfName(
  name: string,
): { readonly op: "//" | "Max" | "Min"; readonly parts: readonly string[] } | undefined {
  if (name.startsWith("(")) {
    const parts = splitAt(name.slice(1, -1), "//");
    return parts.length === 2 ? { op: "//", parts } : undefined;
  }
  const op = name.startsWith("Max(") ? "Max" : name.startsWith("Min(") ? "Min" : undefined;
  return op && { op, parts: splitAt(name.slice(4, -1), ",") };
}

/** Splits a text at the separators that are outside of brackets. */
function splitAt(text: string, separator: string): string[] {
  const parts = [];
  let depth = 0, start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (depth === 0 && text.startsWith(separator, i)) {
      parts.push(text.slice(start, i).trim());
      i += separator.length - 1;
      start = i + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Recursive-descent parser for sums of products. Its methods return `undefined` if the text is not a formula. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at === this.#text.length;
  }

  sum(): Polynomial | undefined {
    let value: Polynomial | undefined = polynomialOfNumber(0);
    let sign = this.#take("-") ? -1 : 1;
    for (;;) {
      const term = this.#product();
      if (term === undefined) return undefined;
      value = addPolynomials(value, term, sign);
      if (this.#take("+")) sign = 1;
      else if (this.#take("-")) sign = -1;
      else return value;
    }
  }

  #product(): Polynomial | undefined {
    let value = this.#power();
    while (value !== undefined) {
      const op = this.#take("//") ? "//" : this.#take("*") ? "*" : undefined;
      if (op === undefined) return value;
      const factor = this.#power();
      if (factor === undefined || isUnwieldy(value)) return undefined;
      value = op === "*"
        ? multiplyPolynomials(value, factor)
        : floorDividePolynomials(value, factor);
    }
    return undefined;
  }

  #power(): Polynomial | undefined {
    const base = this.#factor();
    if (base === undefined || !(this.#take("**") || this.#take("^"))) return base;
    const exponent = Number(this.#match(NUMBER) ?? NaN);
    if (!(exponent <= 4)) return undefined;
    let value = polynomialOfNumber(1);
    for (let i = 0; i < exponent; i++) value = multiplyPolynomials(value, base);
    return value;
  }

  #factor(): Polynomial | undefined {
    const number = this.#match(NUMBER);
    if (number !== undefined) return polynomialOfNumber(Number(number));
    if (this.#peek("(")) {
      const inside = this.#brackets();
      return inside === undefined ? undefined : readLength(inside);
    }
    const name = this.#match(NAME);
    if (name === undefined) return undefined;
    if (this.#text[this.#at] !== "(") return polynomialOfName(name);
    const inside = this.#brackets();
    if (inside === undefined) return undefined;
    const parts = splitAt(inside, ",").map((part) =>
      writePolynomial(readLength(part), isPlainName)
    );
    const isOrdered = name !== "Max" && name !== "Min";
    return polynomialOfName(`${name}(${(isOrdered ? parts : parts.sort()).join(", ")})`);
  }

  /**
   * Reads a text in brackets at the current position, and returns it without the outer brackets. Returns `undefined`
   * if the closing bracket is missing.
   */
  #brackets(): string | undefined {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === "(") depth++;
      else if (this.#text[this.#at] === ")" && --depth === 0) {
        return this.#text.slice(start + 1, this.#at++).trim();
      }
    }
    return undefined;
  }

  #match(pattern: RegExp): string | undefined {
    this.#skip();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #peek(sign: string): boolean {
    this.#skip();
    return this.#text.startsWith(sign, this.#at);
  }

  #take(sign: string): boolean {
    if (!this.#peek(sign) || (sign === "*" && this.#peek("**"))) return false;
    this.#at += sign.length;
    return true;
  }

  #skip(): void {
    while (this.#text[this.#at] === " ") this.#at++;
  }
}
