/**
 * What hooks that correlate are told, checked.
 *
 * @module
 */

import { wholeFrom } from "../../base/check_number.ts";
import type { CorrelationWindow } from "./correlation.ts";
import { type ElementName, numberOf } from "../atoms/element_choice.ts";
import { checkNumber, checkOptions } from "../any/hook_options.ts";

/** What every hook that correlates can be told. */
export interface CorrelationOptions {
  /**
   * A sample at every so many steps.
   *
   * @default 10
   */
  readonly frequency?: number;
  /**
   * No sample before so many steps are done: until a system has forgotten how it began.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * How many lags there are, that of no time included: so many samples are looked back.
   *
   * @default 100
   */
  readonly lags?: number;
  /**
   * Every so many samples are an origin. More between them cost less time and memory, and average over less.
   *
   * @default 1
   */
  readonly originEvery?: number;
  /**
   * The atoms of this element alone: `"Ar"`, or 18.
   *
   * @default all
   */
  readonly element?: ElementName;
}

/** The same, checked. */
export interface CheckedCorrelation {
  readonly frequency: number;
  readonly after: number;
  readonly window: CorrelationWindow;
  readonly element: number | undefined;
}

const OPTIONS = ["frequency", "after", "lags", "originEvery", "element"];

/** Throws a TypeError or RangeError that names the option that is wrong. */
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
