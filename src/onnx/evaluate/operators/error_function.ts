/**
 * The error function to double precision.
 *
 * @module
 */

/** Where the sum, whose terms grow in number, gives way to the fraction, of which 1 - erf is small from here on. */
const FAR = 1.5;
/** From here on erf is 1 to double precision. */
const ONE = 6;

/** 2 / √π ∫₀ˣ exp(-t²) dt, to some units in the last place. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size >= ONE) return Math.sign(x);
  if (size >= FAR) return Math.sign(x) * (1 - farErfc(size));
  // All terms have the same sign (Abramowitz and Stegun 7.1.6), so that none is lost.
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return 2 / Math.sqrt(Math.PI) * gaussian(x) * sum;
}

/** 1 - erf, small values of it too. */
export function erfc(x: number): number {
  return x >= FAR ? farErfc(x) : 1 - erf(x);
}

/** Abramowitz and Stegun 7.1.14, begun so far out that nothing is missing. */
function farErfc(x: number): number {
  if (x === Infinity) return 0;
  let fraction = x;
  for (let n = 30 + Math.ceil(200 / (x * x)); n > 0; n--) fraction = x + n / 2 / fraction;
  return gaussian(x) / Math.sqrt(Math.PI) / fraction;
}

/** exp(-x²), with what the square loses to rounding made good. */
function gaussian(x: number): number {
  const square = x * x;
  const big = 134217729 * x, high = big - (big - x), low = x - high; // Veltkamp's halves
  const lost = high * high - square + 2 * high * low + low * low;
  const e = Math.exp(-square);
  return Number.isFinite(lost) ? e - e * lost : e;
}
