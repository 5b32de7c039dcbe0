/**
 * Checks of numbers.
 *
 * @module
 */

import { complaint } from "./show.ts";

/** A condition on a number. */
export interface NumberRule {
  /** The condition in words, as in "must be above 0". */
  readonly requirement: string;
  /** Whether a number meets the condition. */
  readonly holds: (value: number) => boolean;
}

/** Above 0 and finite. */
export const POSITIVE: NumberRule = {
  requirement: "above 0 and finite",
  holds: (x) => x > 0 && x < Infinity,
};

/** From 0 on, and finite. */
export const NOT_NEGATIVE: NumberRule = {
  requirement: "0 or more and finite",
  holds: (x) => x >= 0 && x < Infinity,
};

/** Whole, of any sign. */
export const WHOLE: NumberRule = { requirement: "a whole number", holds: Number.isSafeInteger };

/** A rule for whole numbers from `least` on. */
export function wholeFrom(least: number): NumberRule {
  return {
    requirement: `a whole number from ${least} on`,
    holds: (x) => Number.isSafeInteger(x) && x >= least,
  };
}

/** A rule for numbers from `least` on, infinity included. */
export function numberFrom(least: number): NumberRule {
  return { requirement: `${least} or more`, holds: (x) => x >= least };
}

/** Is the value a whole number from 0 on? */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Throws a TypeError if a value is not a number, and a RangeError if it does not meet a rule. */
export function checkNumber(
  action: string,
  name: string,
  value: unknown,
  { requirement, holds }: NumberRule,
): asserts value is number {
  if (typeof value !== "number") {
    throw new TypeError(complaint(action, `${name} must be a number`, value));
  }
  if (holds(value)) return;
  throw new RangeError(complaint(action, `${name} must be ${requirement}`, value));
}
