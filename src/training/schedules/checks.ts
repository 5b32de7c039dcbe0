/**
 * What the options of schedules must be.
 *
 * @module
 */

import { show } from "../../batch/show.ts";

/** Throws for what is no whole number above 0: TypeError for another kind, RangeError for another number. */
export function checkSteps(action: string, name: string, value: unknown): void {
  checkThat(action, name, value, {
    isGood: (x) => Number.isSafeInteger(x) && x > 0,
    wanted: "a whole number above 0",
  });
}

/** Throws for what is no finite number from 0 on: TypeError for another kind, RangeError for another number. */
export function checkFactor(action: string, name: string, value: unknown): void {
  checkThat(action, name, value, {
    isGood: (x) => x >= 0 && x < Infinity,
    wanted: "0 or more and finite",
  });
}

/** Throws a TypeError for what is no number, and a RangeError for one that is not good. */
export function checkThat(
  action: string,
  name: string,
  value: unknown,
  { isGood, wanted }: { readonly isGood: (x: number) => boolean; readonly wanted: string },
): void {
  if (typeof value === "number" && isGood(value)) return;
  const Kind = typeof value === "number" ? RangeError : TypeError;
  throw new Kind(
    `Cannot ${action} as ${name} must be ${wanted}: current value is ${show(value)}`,
  );
}

/** Throws a RangeError for a word that is none of these. */
export function checkOneOf(
  action: string,
  name: string,
  value: unknown,
  words: readonly string[],
): void {
  if (words.includes(value as string)) return;
  throw new RangeError(
    `Cannot ${action} as ${name} must be ${words.map(show).join(" or ")}: current value is ${
      show(value)
    }`,
  );
}
