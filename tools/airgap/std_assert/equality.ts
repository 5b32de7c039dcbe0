import { AssertionError, withNote } from "./assertion_error.ts";
import { equal } from "./equal.ts";
import { diff, format } from "./format.ts";

/** Makes sure that two values are deeply equal, as {@linkcode equal} has it. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(
    `${withNote("Values are not equal", msg)}\n\n${diff(actual, expected)}\n`,
  );
}

/** Makes sure that two values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    withNote(
      `Expected actual: ${format(actual)} not to be: ${format(expected)}`,
      msg,
    ),
  );
}

/** Makes sure that two values are the same, as `Object.is` has it: 0 is not -0, `{}` no other `{}`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const same = format(actual) === format(expected);
  throw new AssertionError(
    same
      ? `${withNote("Values have the same structure but are not reference-equal", msg)}\n\n    ${
        format(actual)
      }\n`
      : `${withNote("Values are not strictly equal", msg)}\n\n${diff(actual, expected)}\n`,
  );
}

/**
 * Makes sure that two numbers differ by at most `tolerance`: a ten-millionth of the expected value when none
 * is given.
 */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance: number = Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7,
  msg?: string,
): void {
  if (Object.is(actual, expected)) return;
  const delta = Math.abs(expected - actual);
  if (delta <= tolerance) return;
  throw new AssertionError(
    withNote(
      `Expected actual: "${actual}" to be close to "${expected}": ` +
        `delta "${delta}" is greater than "${tolerance}"`,
      msg,
    ),
  );
}
