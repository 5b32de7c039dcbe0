/**
 * A schedule along half a cosine wave.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Schedule } from "./schedule.ts";

/** Half a wave. */
export interface CosineOptions {
  /** Optimizer steps from the crest to the trough. */
  readonly steps: number;
  /**
   * The factor at step `steps`, and from there on.
   *
   * @default 0
   */
  readonly to?: number;
}

/**
 * Returns a factor that goes from 1 to another factor along half a cosine and then stays there: slowly at both
 * ends, fastest half-way. With t = step / steps it is `to + (1 − to) · (1 + cos πt) / 2`. It stays in the trough,
 * where a wave would rise again.
 *
 * Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017), eq. 5, one period of it.
 *
 * @throws {TypeError} for an unknown option, and if an option is not a number
 * @throws {RangeError} for a negative factor, and if `steps` is not a positive integer
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
