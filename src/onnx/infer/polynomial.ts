/**
 * Polynomials with integer coefficients in named lengths.
 *
 * @module
 */

/** Coefficients, by product of names. The key "" is the constant term. The names in a product are sorted. */
export type Polynomial = ReadonlyMap<string, number>;

/**
 * Separator of the names in a product. It sorts before every letter, so that products are compared name by name.
 */
const TIMES = "\0";
/**
 * Maximum number of terms. Longer polynomials are replaced by a fresh name, because they carry no useful
 * information.
 */
const MOST_TERMS = 24;

/** Returns a number as a polynomial. */
export function polynomialOfNumber(value: number): Polynomial {
  return new Map(value === 0 ? [] : [["", value]]);
}

/** Returns a name as a polynomial. The name may contain any characters. */
export function polynomialOfName(name: string): Polynomial {
  return new Map([[name, 1]]);
}

/** Returns a + factor · b. */
export function addPolynomials(a: Polynomial, b: Polynomial, factor: number): Polynomial {
  const sum = new Map(a);
  for (const [key, count] of b) put(sum, key, factor * count);
  return sum;
}

function put(sum: Map<string, number>, key: string, count: number): void {
  const now = (sum.get(key) ?? 0) + count;
  if (now === 0) sum.delete(key);
  else sum.set(key, now);
}

/** Returns a · b. */
export function multiplyPolynomials(a: Polynomial, b: Polynomial): Polynomial {
  const product = new Map<string, number>();
  for (const [p, x] of a) for (const [q, y] of b) put(product, joined(p, q), x * y);
  return product;
}

function joined(p: string, q: string): string {
  if (p === "" || q === "") return p + q;
  return [...p.split(TIMES), ...q.split(TIMES)].sort().join(TIMES);
}

/** Returns a / b; `undefined` if it is not a polynomial with integer coefficients. */
export function dividePolynomials(a: Polynomial, b: Polynomial): Polynomial | undefined {
  const divisor = leading(b), quotient = new Map<string, number>();
  let rest: Polynomial = a;
  for (let step = 0; step <= MOST_TERMS; step++) {
    const lead = leading(rest);
    if (lead === undefined) return quotient;
    if (divisor === undefined || lead[1] % divisor[1] !== 0) return undefined;
    const names = without(lead[0], divisor[0]);
    if (names === undefined) return undefined;
    const term = new Map([[names, lead[1] / divisor[1]]]);
    quotient.set(names, lead[1] / divisor[1]);
    rest = addPolynomials(rest, multiplyPolynomials(term, b), -1);
  }
  return undefined;
}

/**
 * Returns the leading term of a polynomial: the term with most names, and among equal ones the first in the order of
 * names; `undefined` for the polynomial 0.
 */
function leading(a: Polynomial): [key: string, count: number] | undefined {
  let first: [string, number] | undefined;
  for (const term of a) if (first === undefined || compare(term[0], first[0]) < 0) first = term;
  return first;
}

function compare(p: string, q: string): number {
  return degree(q) - degree(p) || (p < q ? -1 : p > q ? 1 : 0);
}

function degree(key: string): number {
  return key === "" ? 0 : key.split(TIMES).length;
}

/** Returns the product `key` divided by the product `names`; `undefined` if it does not contain all of these names. */
function without(key: string, names: string): string | undefined {
  if (names === "") return key;
  const left = key.split(TIMES);
  for (const name of names.split(TIMES)) {
    const at = left.indexOf(name);
    if (at === -1) return undefined;
    left.splice(at, 1);
  }
  return left.join(TIMES);
}

/** Returns whether a polynomial has too many terms or too large coefficients to be useful. */
export function isUnwieldy(a: Polynomial): boolean {
  if (a.size > MOST_TERMS) return true;
  for (const [key, count] of a) if (key.length > 400 || !Number.isSafeInteger(count)) return true;
  return false;
}

/** Returns all names in a polynomial. */
export function namesOf(a: Polynomial): string[] {
  return [...a.keys()].flatMap((key) => key === "" ? [] : key.split(TIMES));
}

/** Returns the value of a polynomial. `valueOf` returns the value of a name. */
export function evaluatePolynomial(a: Polynomial, valueOf: (name: string) => number): number {
  let sum = 0;
  for (const [key, count] of a) {
    const names = key === "" ? [] : key.split(TIMES);
    sum += names.reduce((product, name) => product * valueOf(name), count);
  }
  return sum;
}

/**
 * Formats a polynomial as its canonical text: "4*N", "E*N + 1", "10 - N".
 *
 * @param isPlain returns whether a name is written as it is; others are put in brackets unless they stand alone
 */
export function writePolynomial(a: Polynomial, isPlain: (name: string) => boolean): string {
  if (a.size === 1) {
    const [[key, count]] = a as unknown as [[string, number]];
    if (count === 1 && key !== "" && !key.includes(TIMES)) return key;
  }
  const terms = [...a].sort(([p, x], [q, y]) => Number(x < 0) - Number(y < 0) || compare(p, q));
  const texts = terms.map(([key, count], i) => {
    const names = key.split(TIMES).map((name) => isPlain(name) ? name : `(${name})`).join("*");
    const size = Math.abs(count);
    const text = key === "" ? `${size}` : size === 1 ? names : `${size}*${names}`;
    if (i === 0) return count < 0 ? `-${text}` : text;
    return count < 0 ? ` - ${text}` : ` + ${text}`;
  });
  return texts.join("") || "0";
}
