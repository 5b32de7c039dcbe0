/**
 * Random numbers for initial weights and noise.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { seedWords } from "../../batch/seed.ts";
import { show } from "../../base/show.ts";
import { gaussians, philox, Stream } from "../../kernels/philox.ts";

/** Options of {@linkcode normalNumbers}. */
export interface NormalNumbersOptions {
  /**
   * Seed of the numbers: an integer from 0 to 2⁵³ − 1.
   *
   * @default 0
   */
  readonly seed?: number;
  /**
   * The standard deviation, 0 or more.
   *
   * @default 1
   */
  readonly stdev?: number;
}

/**
 * Returns random numbers of the normal distribution with mean 0, for initial weights and for noise. For a matrix with
 * `n` inputs, a deviation of 1/√n preserves the variance of the activations. Give each matrix its own seed.
 *
 * @param count how many numbers to return
 * @throws {TypeError} if an option is unknown
 * @throws {RangeError} if the count or the seed is not a non-negative integer, or if the deviation is below 0
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { normalNumbers } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const weights = normalNumbers(2 * 3, { seed: 1, stdev: 1 / Math.sqrt(2) });
 * new GraphBuilder("net").parameter("w", weights, [2, 3]);
 * assertEquals(normalNumbers(2, { seed: 1, stdev: 1 / Math.sqrt(2) }), weights.slice(0, 2));
 * ```
 */
export function normalNumbers(
  count: number,
  options: NormalNumbersOptions = {},
): Float32Array<ArrayBuffer> {
  const action = "draw normal numbers";
  checkOptions(action, options, ["seed", "stdev"]);
  const { seed = 0, stdev = 1 } = options;
  const [low, high] = seedWords(seed, action);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(
      `Cannot ${action}: count must be a non-negative integer; got ${show(count)}`,
    );
  }
  if (typeof stdev !== "number" || !(stdev >= 0 && stdev < Infinity)) {
    throw new RangeError(
      `Cannot ${action}: stdev must be 0 or more and finite; got ${show(stdev)}`,
    );
  }
  const numbers = new Float32Array(count);
  const words = new Uint32Array(4), normal = new Float64Array(4);
  for (let i = 0; i < count; i++) {
    if (i % 4 === 0) {
      philox(i / 4, 0, 0, Stream.NUMBERS, low, high, words);
      gaussians(words, normal);
    }
    numbers[i] = stdev * normal[i % 4]!;
  }
  return numbers;
}
