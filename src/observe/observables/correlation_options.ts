/**
 * What hooks that correlate are told, checked.
 *
 * @module
 */

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
  const isCount = (x: number) => Number.isSafeInteger(x) && x > 0;
  checkNumber(hook, options, "frequency", "a whole number from 1 on", isCount);
  checkNumber(hook, options, "after", "a whole number from 0 on", (x) => x === 0 || isCount(x));
  checkNumber(hook, options, "lags", "a whole number from 2 on", (x) => isCount(x) && x > 1);
  checkNumber(hook, options, "originEvery", "a whole number from 1 on", isCount);
  const { frequency = 10, after = 0, lags = 100, originEvery = 1, element } = options;
  return {
    frequency,
    after,
    window: { lags, originEvery },
    element: element === undefined ? undefined : numberOf(hook, element),
  };
}
