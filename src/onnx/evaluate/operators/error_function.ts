/**
 * Error function in double precision.
 *
 * @module
 */

/**
 * Value of x from which the continued fraction is used, which converges well only for large x. Below it, the power
 * series needs few terms.
 */
const FAR = 1.5;
/** Value of x from which erf x is 1 in double precision. */
const ONE = 6;

/** Returns erf x = 2 / √π ∫₀ˣ exp(-t²) dt, with errors of a few units in the last place. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size >= ONE) return Math.sign(x);
  if (size >= FAR) return Math.sign(x) * (1 - farErfc(size));
  // All terms have the same sign (Abramowitz and Stegun 7.1.6), so there is no cancellation.
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * gaussian(x) * sum;
}

/** Returns erfc x = 1 - erf x, with full relative precision even for small results. */
export function erfc(x: number): number {
  return x >= FAR ? farErfc(x) : 1 - erf(x);
}

/**
 * Returns erfc x from the continued fraction Abramowitz and Stegun 7.1.14, with enough terms for x above {@linkcode
 * FAR}.
 */
function farErfc(x: number): number {
  if (x === Infinity) return 0;
  let fraction = x;
  for (let n = 30 + Math.ceil(200 / (x * x)); n > 0; n--) fraction = x + n / 2 / fraction;
  return gaussian(x) / Math.sqrt(Math.PI) / fraction;
}

/** Returns exp(-x²), corrected for the rounding error of the square. */
function gaussian(x: number): number {
  const square = x * x;
  // Split x into two halves by Veltkamp's method.
  const big = 134217729 * x, high = big - (big - x), low = x - high;
  const lost = high * high - square + 2 * high * low + low * low;
  const e = Math.exp(-square);
  return Number.isFinite(lost) ? e - e * lost : e;
}
