/**
 * A stand-in for `@std/assert`, used only where JSR cannot be reached: the assertions that this package's
 * tests use, with the behavior that @std documents. See ../std.ts for how it is switched on.
 *
 * @module
 */

export { AssertionError } from "./assertion_error.ts";
export {
  assertArrayIncludes,
  assertMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "./containment.ts";
export { equal } from "./equal.ts";
export {
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertStrictEquals,
} from "./equality.ts";
export { assertGreater, assertGreaterOrEqual, assertLess, assertLessOrEqual } from "./order.ts";
export { assertRejects, assertThrows } from "./throws.ts";
export { assert, assertExists, assertFalse, assertInstanceOf, fail, unreachable } from "./truth.ts";
export type { Falsy } from "./truth.ts";
