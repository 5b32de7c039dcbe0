/**
 * Seeds of random numbers.
 *
 * @module
 */

import { show } from "../base/show.ts";

/**
 * Returns the lower and the upper 32 bits of a seed, which are the key of a random number generator.
 *
 * @throws {RangeError} if the seed is not a whole number 0 … 2⁵³ − 1
 */
export function seedWords(seed: unknown, action: string): readonly [low: number, high: number] {
  if (Number.isSafeInteger(seed) && (seed as number) >= 0) {
    return [(seed as number) >>> 0, Math.floor((seed as number) / 2 ** 32)];
  }
  throw new RangeError(
    `Cannot ${action}: the seed must be a whole number from 0 to 2^53 - 1; got ${show(seed)}`,
  );
}
