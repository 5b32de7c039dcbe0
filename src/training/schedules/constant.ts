/**
 * A schedule with a constant factor.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE } from "../../base/check_number.ts";
import type { Schedule } from "./schedule.ts";

/**
 * Returns a schedule with the same factor at every step.
 *
 * @param value the factor of learning rates
 * @throws {TypeError} if `value` is not a number
 * @throws {RangeError} if `value` is negative
 *
 * @example
 * ```ts
 * import { constant } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(constant().factor(1000), 1);
 * assertEquals(constant(0.5).factor(0), 0.5);
 * ```
 */
export function constant(value: number = 1): Schedule {
  checkNumber("make a constant schedule", "its value", value, NOT_NEGATIVE);
  return { factor: () => value };
}
