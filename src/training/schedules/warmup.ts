/**
 * Warmup of the learning rates.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import { constant } from "./constant.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode warmup}. */
export interface WarmupOptions {
  /** Number of optimizer steps until the factor is 1. */
  readonly steps: number;
  /**
   * The factor at step 0.
   *
   * @default 1 / steps, because with a factor of 0 the first step would have no effect
   */
  readonly from?: number;
  /**
   * The schedule after the warmup. Its step 0 is step `steps` of the run.
   *
   * @default constant()
   */
  readonly then?: Schedule;
}

/**
 * Returns a schedule whose factor rises linearly to 1, and then follows another schedule. The other schedule also
 * observes metrics during the warmup. Until it begins, the momentum is that of its step 0.
 *
 * @throws {TypeError} if an option is unknown, if `steps` or `from` is not a number, or if `then` is not a schedule
 * @throws {RangeError} if `from` is negative, or if `steps` is not a positive integer
 *
 * @example
 * ```ts
 * import { cosine, warmup } from "@hooke/hooke/training";
 * import { assertAlmostEquals, assertEquals } from "@std/assert";
 *
 * const schedule = warmup({ steps: 4, from: 0, then: cosine({ steps: 10 }) });
 * assertEquals([0, 1, 2, 3, 4].map(schedule.factor), [0, 0.25, 0.5, 0.75, 1]);
 * assertAlmostEquals(schedule.factor(9), 0.5);
 * ```
 */
export function warmup(options: WarmupOptions): Schedule {
  const action = "make a warm-up";
  checkOptions(action, options, ["steps", "from", "then"]);
  const { steps, from = 1 / steps, then = constant() } = options;
  checkNumber(action, "steps", steps, wholeFrom(1));
  checkNumber(action, "from", from, NOT_NEGATIVE);
  if (typeof then !== "object" || then === null || typeof then.factor !== "function") {
    throw new TypeError(
      `Cannot ${action}: the option "then" must be a schedule; got ${show(then)}`,
    );
  }
  const { monitor, momentum, observe, save, load } = then;
  return {
    factor: (step) => step < steps ? from + (1 - from) * step / steps : then.factor(step - steps),
    // Has only the members of the other schedule, because a trainer looks for members that exist.
    ...(momentum && { momentum: (step) => momentum.call(then, Math.max(0, step - steps)) }),
    ...(monitor !== undefined && { monitor }),
    ...(observe && { observe: (metrics) => observe.call(then, metrics) }),
    ...(save && { save: () => save.call(then) }),
    ...(load && { load: (state) => load.call(then, state) }),
  };
}
