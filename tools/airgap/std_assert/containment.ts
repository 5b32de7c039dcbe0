import { AssertionError, withNote } from "./assertion_error.ts";
import { equal } from "./equal.ts";
import { diff, format } from "./format.ts";

/** Makes sure that a string matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(withNote(`Expected actual: "${actual}" to match: "${expected}"`, msg));
}

/** Makes sure that a string contains another. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(withNote(`Expected actual: "${actual}" to contain: "${expected}"`, msg));
}

/** Makes sure that each expected item is deeply equal to some actual one, in any order. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void {
  const there = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !there.some((other) => equal(item, other)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `${
      withNote(
        `Expected actual: "${format(actual)}" to include: "${format(expected)}"`,
        msg,
      )
    }\nmissing: ${format(missing)}`,
  );
}

/** Makes sure that `actual` has at least what `expected` has, at every depth. Arrays must agree in length. */
export function assertObjectMatch(
  actual: object,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  const part = project(actual, expected, new Map());
  if (equal(part, expected)) return;
  throw new AssertionError(
    `${withNote("Values are not equal", msg)}\n\n${diff(part, expected)}\n`,
  );
}

/** The part of `actual` that `expected` speaks of, as plain data shaped like it. */
function project(actual: unknown, expected: unknown, seen: Map<object, unknown>): unknown {
  if (!isOpen(actual) || !isOpen(expected)) return actual;
  if (Array.isArray(expected) !== Array.isArray(actual)) return actual;
  if (seen.has(expected)) return seen.get(expected);
  const part: object = Array.isArray(actual) ? [] : Object.create(Object.getPrototypeOf(expected));
  seen.set(expected, part);
  for (const key of Reflect.ownKeys(Array.isArray(actual) ? actual : expected)) {
    if (key === "length" || !(key in actual)) continue;
    const value = project(Reflect.get(actual, key), Reflect.get(expected, key), seen);
    Object.defineProperty(part, key, { value, enumerable: true, configurable: true });
  }
  return part;
}

/**
 * Returns true if matching compares the members of the value: plain objects, arrays and class instances, but not
 * maps, dates and similar objects.
 */
function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Map || value instanceof Set || value instanceof Date ||
      value instanceof RegExp || ArrayBuffer.isView(value));
}
