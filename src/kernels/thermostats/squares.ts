import { uniform } from "../philox.ts";

/** Largest number of attempts to draw a number. A second attempt is needed only about once in a thousand draws. */
export const ATTEMPTS = 64;

/**
 * Returns the sum of the squares of `count` Gaussian numbers. The sum is drawn as one number, which is twice a number
 * of the gamma distribution of shape `count`/2 (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363, 2000).
 *
 * `draw(i)` writes random words to `words`, and Gaussian numbers made of them to `noise`. On entry, both contain
 * those of i = 0, of which the first Gaussian number has already been used.
 */
export function squaresOfGaussians(
  count: number,
  draw: (i: number) => void,
  words: Uint32Array,
  noise: Float64Array,
): number {
  if (count <= 0) return 0;
  if (count === 1) return noise[1]! * noise[1]!;
  const d = count / 2 - 1 / 3, width = 1 / Math.sqrt(9 * d);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    draw(attempt);
    const x = noise[0]!, root = 1 + width * x;
    if (root <= 0) continue;
    const v = root * root * root;
    if (Math.log(uniform(words[2]!)) < x * x / 2 + d * (1 - v + Math.log(v))) return 2 * d * v;
  }
  return 2 * d;
}
