/**
 * Lengths of axes: numbers, or texts of polynomials in named lengths, one text for each polynomial. Equal texts are
 * equal lengths; different texts may be equal too.
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

/** How many along an axis: a number, or the text of a polynomial in named lengths, such as "4*N" or "E + 1". */
export type KnownLength = number | string;

/** Texts that are kept at most: what is read once is read once again. */
const MOST = 20_000;
const polynomials = new Map<string, Polynomial>();
const results = new Map<string, KnownLength | undefined>();
/** What files have → what it is. */
const fileLengths = new Map<string, KnownLength>();
let unwieldy = 0;

/** The polynomial of a length. */
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
  if (known !== undefined || results.has(key)) return known;
  if (results.size >= MOST) results.clear();
  const result = compute(polynomialOf(a), polynomialOf(b));
  results.set(key, result);
  return result;
}

/** The one text of what a file has as a length: "N*4" and "2*N + 2*N" are "4*N", "7" is 7. */
export function readFileLength(text: string): KnownLength {
  const known = fileLengths.get(text);
  if (known !== undefined) return known;
  if (fileLengths.size >= MOST) fileLengths.clear();
  const polynomial = polynomialOf(text);
  const length = polynomial.get(text) === 1 ? text : lengthOf(polynomial);
  fileLengths.set(text, length);
  return length;
}

/** a + b */
export function addLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a === 0) return b;
  if (b === 0) return a;
  return remembered("+", a, b, (p, q) => lengthOf(addPolynomials(p, q, 1))) ?? a;
}

/** a − b */
export function subtractLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (b === 0) return a;
  if (a === b) return 0;
  return remembered("-", a, b, (p, q) => lengthOf(addPolynomials(p, q, -1))) ?? a;
}

/** a · b */
export function multiplyLengths(a: KnownLength, b: KnownLength): KnownLength {
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a === 1) return b;
  if (b === 1) return a;
  if (a === 0 || b === 0) return 0;
  return remembered("*", a, b, (p, q) => lengthOf(multiplyPolynomials(p, q))) ?? a;
}

/** The product of lengths; 1 of none. */
export function productOf(lengths: readonly KnownLength[]): KnownLength {
  let product: KnownLength = 1;
  for (const length of lengths) product = multiplyLengths(product, length);
  return product;
}

/**
 * a / b where it is whole for sure, else `undefined`. Names are taken not to be 0 here: N / N is 1.
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

/** a / b, rounded down: "(N//2)" where it is not whole for sure. */
export function floorDivideLengths(a: KnownLength, b: KnownLength): KnownLength | undefined {
  const exact = divideLengths(a, b);
  if (exact !== undefined || b === 0) return exact;
  if (typeof a === "number" && typeof b === "number") return Math.floor(a / b);
  return remembered("//", a, b, (p, q) => lengthOf(floorDividePolynomials(p, q)));
}

/** The greater of two: "Max(1, N)" where that cannot be told. */
export function maxLength(a: KnownLength, b: KnownLength): KnownLength {
  const difference = subtractLengths(a, b);
  if (isNotNegative(difference)) return a;
  if (isNotNegative(subtractLengths(b, a))) return b;
  return remembered("max", a, b, () => readFileLength(`Max(${a}, ${b})`)) ?? a;
}

/** The smaller of two: "Min(5, N)" where that cannot be told. */
export function minLength(a: KnownLength, b: KnownLength): KnownLength {
  const difference = subtractLengths(a, b);
  if (isNotNegative(difference)) return b;
  if (isNotNegative(subtractLengths(b, a))) return a;
  return remembered("min", a, b, () => readFileLength(`Min(${a}, ${b})`)) ?? a;
}

/** Is it 0 or more, whatever its names are? Lengths are, and so are sums and products of them. */
export function isNotNegative(length: KnownLength): boolean {
  if (typeof length === "number") return length >= 0;
  for (const count of polynomialOf(length).values()) if (count < 0) return false;
  return namesOf(polynomialOf(length)).every(isNameNotNegative);
}

/** Names that were found for numbers nobody knows, "?x7", may stand for less than 0; those of lengths, "?7", do not. */
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
 * The length that two broadcast to, or `undefined` where that cannot be told, or they do not fit. A number other
 * than 1 is what comes out, whatever it is combined with.
 */
export function broadcastLengths(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (a === b || b === 1) return a;
  if (a === 1) return b;
  if (typeof a === "number") return typeof b === "number" ? undefined : a;
  return typeof b === "number" ? b : undefined;
}

/** Is nothing known of this length but that it is the same wherever it stands? */
export function isFresh(length: KnownLength): boolean {
  return typeof length === "string" && length.includes("?");
}

/** The names in a length, in those of its parts too that are no polynomials; opaque texts are one name. */
export function namesIn(length: KnownLength): readonly string[] {
  if (typeof length === "number") return [];
  return namesOf(polynomialOf(length)).flatMap((name) =>
    partsOfName(name)?.parts.flatMap((part) => namesIn(readFileLength(part))) ?? [name]
  );
}

/** The number that a length is where its names have these values; NaN where one has none. */
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
