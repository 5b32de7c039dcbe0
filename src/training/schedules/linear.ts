/**
 * A schedule along a straight line.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode linear}. */
export interface LinearOptions {
  /**
   * The factor at step 0.
   *
   * @default 1
   */
  readonly from?: number;
  /**
   * The factor from step `steps` on.
   *
   * @default 0
   */
  readonly to?: number;
  /** Number of optimizer steps from the factor `from` to the factor `to`. */
  readonly steps: number;
}

/**
 * Returns a schedule whose factor goes from `from` to `to` in equal steps, and then stays constant: `from + (to −
 * from) · step / steps`.
 *
 * @throws {TypeError} if an option is unknown or not a number
 * @throws {RangeError} if a factor is negative, or if `steps` is not a positive integer
 *
 * @example
 * ```ts
 * import { linear } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const schedule = linear({ from: 1, to: 0.5, steps: 4 });
 * assertEquals([0, 1, 2, 4, 9].map(schedule.factor), [1, 0.875, 0.75, 0.5, 0.5]);
 * ```
 */
export function linear(options: LinearOptions): Schedule {
  const action = "make a linear schedule";
  checkOptions(action, options, ["from", "to", "steps"]);
  const { from = 1, to = 0, steps } = options;
  checkNumber(action, "from", from, NOT_NEGATIVE);
  checkNumber(action, "to", to, NOT_NEGATIVE);
  checkNumber(action, "steps", steps, wholeFrom(1));
  return { factor: (step) => step >= steps ? to : from + (to - from) * step / steps };
}
