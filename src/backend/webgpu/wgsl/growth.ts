/** WGSL of (eˣ − 1)/x as 1 + x/2 (1 + x/3 (1 + …)), up to x⁹/10!. */
const SERIES = [9, 8, 7, 6, 5, 4, 3, 2].reduce(
  (sum, n) => `(1.0 + x * ${Math.fround(1 / n)} * ${sum})`,
  "1.0",
);

/**
 * Defines a function that returns eˣ − 1. Factors close to 1 are stored as this difference, because rounding the
 * factors would lose digits.
 */
export const GROWTH_OF: string = /* wgsl */ `
// exp(x) - 1, accurate where x is small, too: Horner's form of the series, or the function itself.
fn growth_of(x: f32) -> f32 {
  if (abs(x) > 0.5) { return exp(x) - 1.0; }
  return x * ${SERIES};
}
`;

/**
 * Defines a function that scales velocities by 1 + m, as v += m v. Multiplying by a rounded factor close to 1 would
 * lose digits, always in the same direction.
 */
export const GROWTH: string = /* wgsl */ `${GROWTH_OF}
fn scale_velocities(s: u32, lane: u32, by: f32) {
  let end = 3u * first_of(s + 1u);
  for (var k = 3u * first_of(s) + lane; k < end; k += LANES) {
    velocities[k] += by * velocities[k];
  }
}
`;

/** Returns WGSL of a number as two float32: the nearest one, and the remainder. */
export function wideLiteral(value: number): string {
  const high = Math.fround(value);
  return `vec2<f32>(${floatLiteral(high)}, ${floatLiteral(value - high)})`;
}

/**
 * Returns WGSL of a float32. It always has a decimal point or an exponent, because WGSL would read it as an integer
 * otherwise.
 */
function floatLiteral(value: number): string {
  const text = String(Math.fround(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
}
