/**
 * Small text plots.
 *
 * @module
 */

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const HEIGHTS = "▁▂▃▄▅▆▇█";

/** A range of integers, and how many values it has. */
export interface Bin {
  readonly from: number;
  /** Largest integer of the range. */
  readonly to: number;
  readonly count: number;
}

/** Counts integers in at most `most` ranges of equal width, which cover all values. */
export function binsOf(values: readonly number[], most: number): Bin[] {
  const [least, largest] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const span = Math.max(1, Math.ceil((largest - least + 1) / most));
  const counts = new Array<number>(Math.ceil((largest - least + 1) / span)).fill(0);
  for (const value of values) counts[Math.floor((value - least) / span)]!++;
  return counts.map((count, i) => ({
    from: least + i * span,
    to: least + (i + 1) * span - 1,
    count,
  }));
}

/**
 * Draws a histogram of integers, one line per bin. There are at most `rows` bins, and the longest bar has `width`
 * characters.
 */
export function histogram(values: readonly number[], rows: number, width: number): string[] {
  const bins = binsOf(values, rows), highest = Math.max(...bins.map(({ count }) => count));
  const names = bins.map(({ from, to }) => from === to ? `${from}` : `${from}–${to}`);
  const longest = Math.max(...names.map(({ length }) => length));
  return bins.map(({ count }, i) =>
    `${names[i]!.padStart(longest)}  ${bar(count / highest * width)}${
      count === 0 ? "" : " "
    }${count}`
  );
}

/** Draws a bar of `length` characters, with a resolution of an eighth of a character. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/**
 * Draws values as a line of bars that are one character high. If there are more than `width` values, each bar shows
 * the mean of several consecutive values.
 */
export function sparkline(values: readonly number[], width: number): string {
  const count = Math.min(width, values.length);
  const means = Array.from({ length: count }, (_, i) => {
    const [from, to] = [i, i + 1].map((x) => Math.floor(x * values.length / count));
    const part = values.slice(from, to);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const steps = HEIGHTS.length - 1;
  return means.map((mean) =>
    HEIGHTS[most === least ? 0 : Math.round((mean - least) / (most - least) * steps)]
  ).join("");
}

/** Returns the mean and the standard deviation of the values. */
export function meanAndSpread(values: readonly number[]): { mean: number; spread: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, spread: Math.sqrt(square) };
}
