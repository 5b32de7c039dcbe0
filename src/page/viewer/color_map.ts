/**
 * Color maps whose lightness changes evenly, computed in the OKLab color space (B. Ottosson, 2020).
 *
 * Equal differences of values look equally different, also in grayscale and with color blindness.
 *
 * @module
 */

/** Red, green and blue, from 0 to 255. */
export type Bytes = readonly [red: number, green: number, blue: number];

/** Number of colors in a table. */
const SIZE = 256;

/** Lightness, chroma and hue in degrees at the ends of a map. */
type End = readonly [lightness: number, chroma: number, hue: number];

/** From dark violet over teal to light yellow. */
const SEQUENTIAL: readonly [End, End] = [[0.32, 0.105, 300], [0.92, 0.12, 100]];
/** Blue for values below zero, red for values above it; both end in a light gray at zero. */
const NEGATIVE: readonly [End, End] = [[0.5, 0.15, 255], [0.93, 0, 255]];
const POSITIVE: readonly [End, End] = [[0.93, 0, 25], [0.5, 0.15, 25]];

/** Returns the color of a share from 0 to 1. */
export type ColorMap = (share: number) => Bytes;

/** Returns the map for values with a smallest and a largest one. Values around zero get two hues. */
export function colorMapOf(isDiverging: boolean): ColorMap {
  const colors = isDiverging
    ? table((t) => t < 0.5 ? between(NEGATIVE, 2 * t) : between(POSITIVE, 2 * t - 1))
    : table((t) => between(SEQUENTIAL, t));
  return (share) => colors[Math.round(Math.min(1, Math.max(0, share)) * (SIZE - 1))] ?? colors[0]!;
}

function table(color: (share: number) => End): Bytes[] {
  return Array.from({ length: SIZE }, (_, i) => bytesOf(color(i / (SIZE - 1))));
}

function between([from, to]: readonly [End, End], share: number): End {
  return [0, 1, 2].map((k) => from[k]! + (to[k]! - from[k]!) * share) as unknown as End;
}

/** Converts OKLCH to sRGB. Colors that a screen cannot show are cut. */
function bytesOf([lightness, chroma, hue]: End): Bytes {
  const angle = hue * Math.PI / 180, a = chroma * Math.cos(angle), b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
  return linear.map((value) => {
    const x = Math.min(1, Math.max(0, value));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  }) as unknown as Bytes;
}
