/**
 * Exponential decay.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE, wholeFrom } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import type { Schedule } from "./schedule.ts";

/** Options of {@linkcode exponential}. */
export interface ExponentialOptions {
  /** Factor by which each decay multiplies the learning rates. */
  readonly gamma: number;
  /**
   * Number of optimizer steps between two decays.
   *
   * @default 1
   */
  readonly every?: number;
}

/**
 * Returns a schedule of exponential decay in steps. Its factor is `gamma ^ ⌊step / every⌋`.
 *
 * @throws {TypeError} if an option is unknown or not a number
 * @throws {RangeError} if gamma is negative, or if `every` is not a positive integer
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
