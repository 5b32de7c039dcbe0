/**
 * Seeds of random numbers.
 *
 * @module
 */

import { show } from "../base/show.ts";

/**
 * The two words of a seed that random numbers are keyed by.
 *
 * @throws {RangeError} for anything but a whole number 0 … 2⁵³ − 1
 */
export function seedWords(seed: unknown, action: string): readonly [low: number, high: number] {
  if (Number.isSafeInteger(seed) && (seed as number) >= 0) {
    return [(seed as number) >>> 0, Math.floor((seed as number) / 2 ** 32)];
  }
  throw new RangeError(
    `Cannot ${action} as the seed must be a whole number 0 … 2^53 - 1: current value is ${
      show(seed)
    }`,
  );
}
