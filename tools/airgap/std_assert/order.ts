import { AssertionError } from "./assertion_error.ts";
import { format } from "./format.ts";

/** Makes sure that `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) throw refusal(actual, ">", expected, msg);
}

/** Makes sure that `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) throw refusal(actual, ">=", expected, msg);
}

/** Makes sure that `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) throw refusal(actual, "<", expected, msg);
}

/** Makes sure that `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) throw refusal(actual, "<=", expected, msg);
}

function refusal(actual: unknown, sign: string, expected: unknown, msg?: string): AssertionError {
  return new AssertionError(msg ?? `Expect ${format(actual)} ${sign} ${format(expected)}`);
}
