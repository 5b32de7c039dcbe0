/**
 * A schedule whose factor is piecewise constant.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode piecewise}. */
export interface PiecewiseOptions {
  /** Table of factors by the optimizer step from which they apply. Before the first of these steps the factor is 1. */
  readonly at: Readonly<Record<number, number>>;
}

/**
 * Returns a schedule whose factor is constant between jumps at given steps.
 *
 * @throws {TypeError} if an option is unknown or not a number
 * @throws {RangeError} if there are no steps, if a step is not an integer from 0 to 999999999, or if a factor is
 * negative
 *
 * @example
 * ```ts
 * import { piecewise } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const schedule = piecewise({ at: { 10: 0.3, 30: 0.09 } });
 * assertEquals([0, 9, 10, 29, 30, 99].map(schedule.factor), [1, 1, 0.3, 0.3, 0.09, 0.09]);
 * ```
 */
export function piecewise(options: PiecewiseOptions): Schedule {
  const action = "make a piecewise schedule";
  checkOptions(action, options, ["at"]);
  const { at } = options;
  const isObject = typeof at === "object" && at !== null && !Array.isArray(at);
  if (!isObject || Object.keys(at).length === 0) {
    throw new (isObject ? RangeError : TypeError)(
      `Cannot ${action}: the option "at" must be an object, step → factor, such as { 10: 0.3 }; got ${
        show(at)
      }`,
    );
  }
  const jumps = Object.entries(at).map(([key, factor]) => {
    checkNumber(action, `the factor at ${key}`, factor, NOT_NEGATIVE);
    return { step: stepOf(action, key), factor };
  });
  return {
    factor: (step) => {
      let factor = 1;
      for (const jump of jumps) if (jump.step <= step) factor = jump.factor;
      return factor;
    },
  };
}

/**
 * Converts a key of `at` to a step. Only canonical integers are accepted, because `Object.entries` lists them in
 * ascending order.
 */
function stepOf(action: string, key: string): number {
  if (/^(0|[1-9]\d{0,8})$/.test(key)) return Number(key);
  throw new RangeError(
    `Cannot ${action}: the steps of "at" must be integers from 0 to 999999999; got ${show(key)}`,
  );
}
