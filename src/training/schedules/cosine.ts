/**
 * A schedule along half a cosine wave.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode cosine}. */
export interface CosineOptions {
  /** Number of optimizer steps from the factor 1 to the factor `to`. */
  readonly steps: number;
  /**
   * The factor from step `steps` on.
   *
   * @default 0
   */
  readonly to?: number;
}

/**
 * Returns a schedule whose factor goes from 1 to `to` along half a cosine, slowly at both ends and fastest in the
 * middle, and then stays constant. With t = step / steps it is `to + (1 − to) · (1 + cos πt) / 2`.
 *
 * This is one period of eq. 5 in Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017).
 *
 * @throws {TypeError} if an option is unknown or not a number
 * @throws {RangeError} if `to` is negative, or if `steps` is not a positive integer
 *
 * @example
 * ```ts
 * import { cosine } from "@hooke/hooke/training";
 * import { assertAlmostEquals, assertEquals } from "@std/assert";
 *
 * const schedule = cosine({ steps: 100, to: 0.1 });
 * assertEquals(schedule.factor(0), 1);
 * assertAlmostEquals(schedule.factor(50), 0.55);
 * assertEquals(schedule.factor(250), 0.1);
 * ```
 */
export function cosine(options: CosineOptions): Schedule {
  const action = "make a cosine schedule";
  checkOptions(action, options, ["steps", "to"]);
  const { steps, to = 0 } = options;
  checkNumber(action, "steps", steps, wholeFrom(1));
  checkNumber(action, "to", to, NOT_NEGATIVE);
  return {
    factor: (step) =>
      step >= steps ? to : to + (1 - to) * (1 + Math.cos(Math.PI * step / steps)) / 2,
  };
}
