/**
 * Lengths of axes: numbers, or texts of polynomials in named lengths. Each polynomial has one canonical text, so
 * equal texts are equal lengths. Lengths with different texts may be equal, too.
 *
 * @module
 */

import { floorDividePolynomials, isPlainName, partsOfName, readLength } from "./length_text.ts";
import {
  addPolynomials,
  dividePolynomials,
  evaluatePolynomial,
  isUnwieldy,
  multiplyPolynomials,
  namesOf,
  type Polynomial,
  polynomialOfNumber,
  writePolynomial,
} from "./polynomial.ts";

/** Length of an axis: a number, or the text of a polynomial in named lengths, such as "4*N" or "E + 1". */
export type KnownLength = number | string;

/** Maximum number of cached texts. A graph uses few different texts, each of them many times. */
const MOST = 20_000;
const polynomials = new Map<string, Polynomial>();
const results = new Map<string, KnownLength | undefined>();
/** Canonical lengths, by their texts in files. */
const fileLengths = new Map<string, KnownLength>();
let unwieldy = 0;

/** Returns the polynomial of a length. */
function polynomialOf(length: KnownLength): Polynomial {
  if (typeof length === "number") return polynomialOfNumber(length);
  let known = polynomials.get(length);
  if (known !== undefined) return known;
  if (polynomials.size >= MOST) polynomials.clear();
  known = readLength(length);
  polynomials.set(length, known);
  return known;
}

function lengthOf(polynomial: Polynomial): KnownLength {
  if (polynomial.size === 0) return 0;
  const number = polynomial.get("");
  if (polynomial.size === 1 && number !== undefined) return number;
  if (isUnwieldy(polynomial)) return `?many${++unwieldy}`;
  const text = writePolynomial(polynomial, isPlainName);
  if (polynomials.size >= MOST) polynomials.clear();
  polynomials.set(text, polynomial);
  return text;
}

function remembered(
  op: string,
  a: KnownLength,
  b: KnownLength,
  compute: (a: Polynomial, b: Polynomial) => KnownLength | undefined,
): KnownLength | undefined {
  const key = `${op}\0${a}\0${b}`;
  const known = results.get(key);
  // `undefined` is a valid result, so the map is asked twice only in that case.
  if (known !== undefined || results.has(key)) return known;
  if (results.size >= MOST) results.clear();
  const result = compute(polynomialOf(a), polynomialOf(b));
  results.set(key, result);
  return result;
}

/** Converts a length in a file to its canonical text: "N*4" and "2*N + 2*N" become "4*N", "7" becomes 7. */
export function readFileLength(text: string): KnownLength {
  const known = fileLengths.get(text);
  if (known !== undefined) return known;
  if (fileLengths.size >= MOST) fileLengths.clear();
  const polynomial = polynomialOf(text);
  const length = polynomial.get(text) === 1 ? text : lengthOf(polynomial);
  fileLengths.set(text, length);
  return length;
}

/** Returns a + b. */
export function addLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a === 0) return b;
  if (b === 0) return a;
  return remembered("+", a, b, (p, q) => lengthOf(addPolynomials(p, q, 1))) ?? a;
}

/** Returns a − b. */
export function subtractLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (b === 0) return a;
  if (a === b) return 0;
  return remembered("-", a, b, (p, q) => lengthOf(addPolynomials(p, q, -1))) ?? a;
}

/** Returns a · b. */
export function multiplyLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a === 1) return b;
  if (b === 1) return a;
  if (a === 0 || b === 0) return 0;
  return remembered("*", a, b, (p, q) => lengthOf(multiplyPolynomials(p, q))) ?? a;
}

/** Returns the product of lengths; 1 if the list is empty. */
export function productOf(lengths: readonly KnownLength[]): KnownLength {
  let product: KnownLength = 1;
  for (const length of lengths) product = multiplyLengths(product, length);
  return product;
}

/**
 * Returns a / b; `undefined` if it may not be an integer. Named lengths are assumed not to be 0: N / N is 1.
 *
 * @example
 * ```ts ignore
 * divideLengths("48*N", 16); // "3*N"
 * divideLengths("N", 2); // undefined
 * ```
 */
export function divideLengths(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (b === 0) return undefined;
  if (b === 1) return a;
  if (a === b) return 1;
  if (typeof a === "number" && typeof b === "number") return a % b === 0 ? a / b : undefined;
  return remembered("/", a, b, (p, q) => {
    const quotient = dividePolynomials(p, q);
    return quotient && lengthOf(quotient);
  });
}

/** Returns a / b rounded down, such as "(N//2)" if it may not be an integer; `undefined` if it cannot be expressed. */
export function floorDivideLengths(a: KnownLength, b: KnownLength): KnownLength | undefined {
  const exact = divideLengths(a, b);
  if (exact !== undefined || b === 0) return exact;
  if (typeof a === "number" && typeof b === "number") return Math.floor(a / b);
  return remembered("//", a, b, (p, q) => lengthOf(floorDividePolynomials(p, q)));
}

/** Returns the larger of two lengths. If it is unknown which one is larger, returns a text such as "Max(1, N)". */
export function maxLength(a: KnownLength, b: KnownLength): KnownLength {
  const difference = subtractLengths(a, b);
  if (isNotNegative(difference)) return a;
  if (isNotNegative(subtractLengths(b, a))) return b;
  return remembered("max", a, b, () => readFileLength(`Max(${a}, ${b})`)) ?? a;
}

/** Returns the smaller of two lengths. If it is unknown which one is smaller, returns a text such as "Min(5, N)". */
export function minLength(a: KnownLength, b: KnownLength): KnownLength {
  const difference = subtractLengths(a, b);
  if (isNotNegative(difference)) return b;
  if (isNotNegative(subtractLengths(b, a))) return a;
  return remembered("min", a, b, () => readFileLength(`Min(${a}, ${b})`)) ?? a;
}

/** Returns whether a length is certainly 0 or more. This holds for named lengths, and for their sums and products. */
export function isNotNegative(length: KnownLength): boolean {
  if (typeof length === "number") return length >= 0;
  for (const count of polynomialOf(length).values()) if (count < 0) return false;
  return namesOf(polynomialOf(length)).every(isNameNotNegative);
}

/**
 * Returns whether the value of a name is certainly 0 or more. This holds for fresh names of lengths, "?7", but not
 * for fresh names of numbers, "?x7".
 */
function isNameNotNegative(name: string): boolean {
  const made = partsOfName(name);
  if (made === undefined) return !/^\?[a-z]/.test(name);
  return made.op === "Max"
    ? made.parts.some(isTextNotNegative)
    : made.parts.every(isTextNotNegative);
}

function isTextNotNegative(text: string): boolean {
  return isNotNegative(readFileLength(text));
}

/**
 * Returns the length to which two lengths broadcast; `undefined` if it is unknown or they cannot be broadcast
 * together. If one of them is a number other than 1, it is the result.
 */
export function broadcastLengths(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (a === b || b === 1) return a;
  if (a === 1) return b;
  if (typeof a === "number") return typeof b === "number" ? undefined : a;
  return typeof b === "number" ? b : undefined;
}

/** Returns whether a length contains a fresh name, whose value is unknown. */
export function isFresh(length: KnownLength): boolean {
  return typeof length === "string" && length.includes("?");
}

/**
 * Returns the names in a length, including those within Max, Min and quotients. A text that cannot be parsed is one
 * name.
 */
export function namesIn(length: KnownLength): readonly string[] {
  if (typeof length === "number") return [];
  return namesOf(polynomialOf(length)).flatMap((name) =>
    partsOfName(name)?.parts.flatMap((part) => namesIn(readFileLength(part))) ?? [name]
  );
}

/** Returns the value of a length for the given values of names; NaN if a name has no value. */
export function lengthAt(
  length: KnownLength,
  names: Readonly<Record<string, number>>,
): number {
  return evaluatePolynomial(polynomialOf(length), (name) => {
    const made = partsOfName(name);
    if (made === undefined) return names[name] ?? NaN;
    const [a = NaN, b = NaN] = made.parts.map((part) => lengthAt(readFileLength(part), names));
    if (made.op === "//") return Math.floor(a / b);
    return made.op === "Max" ? Math.max(a, b) : Math.min(a, b);
  });
}
