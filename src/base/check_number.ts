/**
 * Checks of numbers.
 *
 * @module
 */

import { complaint } from "./show.ts";

/** A condition on a number. */
export interface NumberRule {
  /** The condition in words that follow "must be" in a message, for example "above 0". */
  readonly requirement: string;
  /** Returns whether a number meets the condition. */
  readonly holds: (value: number) => boolean;
}

/** The rule for finite numbers above 0. */
export const POSITIVE: NumberRule = {
  requirement: "above 0 and finite",
  holds: (x) => x > 0 && x < Infinity,
};

/** The rule for finite numbers of 0 or more. */
export const NOT_NEGATIVE: NumberRule = {
  requirement: "0 or more and finite",
  holds: (x) => x >= 0 && x < Infinity,
};

/** The rule for whole numbers of either sign. */
export const WHOLE: NumberRule = { requirement: "a whole number", holds: Number.isSafeInteger };

/** Returns the description of integers of at least `least` for error messages: "a positive integer". */
export function integersFrom(least: number): string {
  if (least === 0) return "a non-negative integer";
  return least === 1 ? "a positive integer" : `an integer of at least ${least}`;
}

/** Returns a rule for integers of at least `least`. */
export function wholeFrom(least: number): NumberRule {
  return {
    requirement: integersFrom(least),
    holds: (x) => Number.isSafeInteger(x) && x >= least,
  };
}

/** Returns a rule for numbers of at least `least`, including infinity. */
export function numberFrom(least: number): NumberRule {
  return { requirement: `${least} or more`, holds: (x) => x >= least };
}

/** Returns whether a value is a whole number of 0 or more. */
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
