/**
 * Options of hooks that compute correlations, and their checks.
 *
 * @module
 */

import { wholeFrom } from "../../base/check_number.ts";
import type { CorrelationWindow } from "./correlation.ts";
import { type ElementName, numberOf } from "../atoms/element_choice.ts";
import { checkNumber, checkOptions } from "../any/hook_options.ts";

/** Options of hooks that compute correlations. */
export interface CorrelationOptions {
  /**
   * Number of steps between two samples.
   *
   * @default 10
   */
  readonly frequency?: number;
  /**
   * Number of steps before the first sample, in which the system equilibrates.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * Number of lags, including lag 0. Lags are multiples of the time between samples.
   *
   * @default 100
   */
  readonly lags?: number;
  /**
   * Number of samples between two origins. Fewer origins cost less time and memory, and give larger statistical
   * errors.
   *
   * @default 1
   */
  readonly originEvery?: number;
  /**
   * Element of the atoms that are averaged over: `"Ar"`, or 18.
   *
   * @default all atoms
   */
  readonly element?: ElementName;
}

/** Checked options with defaults applied. */
export interface CheckedCorrelation {
  readonly frequency: number;
  readonly after: number;
  readonly window: CorrelationWindow;
  readonly element: number | undefined;
}

const OPTIONS = ["frequency", "after", "lags", "originEvery", "element"];

/**
 * Checks the options, and applies defaults. `more` names further allowed options. Throws a TypeError or RangeError if
 * an option is not valid; the message names the option.
 */
export function checkCorrelation(
  hook: string,
  options: CorrelationOptions,
  more: readonly string[],
): CheckedCorrelation {
  checkOptions(hook, options, [...OPTIONS, ...more]);
  checkNumber(hook, options, "frequency", wholeFrom(1));
  checkNumber(hook, options, "after", wholeFrom(0));
  checkNumber(hook, options, "lags", wholeFrom(2));
  checkNumber(hook, options, "originEvery", wholeFrom(1));
  const { frequency = 10, after = 0, lags = 100, originEvery = 1, element } = options;
  return {
    frequency,
    after,
    window: { lags, originEvery },
    element: element === undefined ? undefined : numberOf(hook, element),
  };
}
