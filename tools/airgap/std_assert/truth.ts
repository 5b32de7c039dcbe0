import { AssertionError, withNote } from "./assertion_error.ts";

/** The values that are false in a condition. `NaN` is one more, which has no type of its own. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

/** Makes sure that `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Makes sure that `expr` is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** Makes sure that `actual` is neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(
      withNote(`Expected actual: "${actual}" to not be null or undefined`, msg),
    );
  }
}

/** Makes sure that `actual` was made by `expectedType` or a class that extends it. */
export function assertInstanceOf<T>(
  actual: unknown,
  expectedType: abstract new (...args: never[]) => T,
  msg?: string,
): asserts actual is T {
  if (actual instanceof expectedType) return;
  throw new AssertionError(
    withNote(
      `Expected object to be an instance of "${expectedType.name}" but was "${kindOf(actual)}"`,
      msg,
    ),
  );
}

/** The class of an object, the type of anything else. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return value.constructor?.name || "Object";
}

/** Fails, always. */
export function fail(msg?: string): never {
  throw new AssertionError(withNote("Failed assertion", msg));
}

/** Fails where a test should never come. */
export function unreachable(reason?: string): never {
  throw new AssertionError(withNote("Unreachable", reason));
}
