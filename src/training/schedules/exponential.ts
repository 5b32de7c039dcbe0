/**
 * By the same ratio again and again.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Schedule } from "./schedule.ts";

/** How fast it decays. */
export interface ExponentialOptions {
  /** What the factor is multiplied by each time. */
  readonly gamma: number;
  /**
   * After how many optimizer steps, each time.
   *
   * @default 1
   */
  readonly every?: number;
}

/**
 * Multiplied by the same number every so many steps: `gamma ^ ⌊step / every⌋`.
 *
 * @throws {TypeError} for an unknown option, and for what is no number
 * @throws {RangeError} for a negative gamma, and for `every` that is no whole number above 0
 *
 * @example
 * ```ts
 * import { exponential } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([0, 1, 3].map(exponential({ gamma: 0.5 }).factor), [1, 0.5, 0.125]);
 * assertEquals([0, 9, 10].map(exponential({ gamma: 0.5, every: 10 }).factor), [1, 1, 0.5]);
 * ```
 */
export function exponential(options: ExponentialOptions): Schedule {
  const action = "make an exponential schedule";
  checkOptions(action, options, ["gamma", "every"]);
  const { gamma, every = 1 } = options;
  checkNumber(action, "gamma", gamma, NOT_NEGATIVE);
  checkNumber(action, "every", every, wholeFrom(1));
  return { factor: (step) => gamma ** Math.floor(step / every) };
}
