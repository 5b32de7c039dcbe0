/**
 * Error function in double precision.
 *
 * @module
 */

/**
 * Limit between the power series, which needs more terms for larger x, and the continued fraction, which converges
 * well only above.
 */
const FAR = 1.5;
/** Value from which erf is 1 in double precision. */
const ONE = 6;

/** Returns 2 / √π ∫₀ˣ exp(-t²) dt, with errors of some units in the last place. */
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

/** Returns 1 - erf, with full relative precision for small results, too. */
export function erfc(x: number): number {
  return x >= FAR ? farErfc(x) : 1 - erf(x);
}

/** Evaluates the continued fraction Abramowitz and Stegun 7.1.14, with enough terms for x above {@linkcode FAR}. */
function farErfc(x: number): number {
  if (x === Infinity) return 0;
  let fraction = x;
  for (let n = 30 + Math.ceil(200 / (x * x)); n > 0; n--) fraction = x + n / 2 / fraction;
  return gaussian(x) / Math.sqrt(Math.PI) / fraction;
}

/** Returns exp(-x²), and corrects the rounding error of the square. */
function gaussian(x: number): number {
  const square = x * x;
  // Split x into two halves by Veltkamp's method.
  const big = 134217729 * x, high = big - (big - x), low = x - high;
  const lost = high * high - square + 2 * high * low + low * low;
  const e = Math.exp(-square);
  return Number.isFinite(lost) ? e - e * lost : e;
}
