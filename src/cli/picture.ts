/**
 * Small pictures of numbers, in text.
 *
 * @module
 */

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const HEIGHTS = "▁▂▃▄▅▆▇█";

/** How often values fall into ranges of equal width, a line for each; `values` are whole numbers. */
export function histogram(values: readonly number[], rows: number, width: number): string[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(1, Math.ceil((most - least + 1) / rows));
  const counts = new Array<number>(Math.ceil((most - least + 1) / span)).fill(0);
  for (const value of values) counts[Math.floor((value - least) / span)]!++;
  const highest = Math.max(...counts);
  const names = counts.map((_, i) => {
    const [from, to] = [least + i * span, least + (i + 1) * span - 1];
    return from === to ? `${from}` : `${from}–${to}`;
  });
  const longest = Math.max(...names.map(({ length }) => length));
  return counts.map((count, i) =>
    `${names[i]!.padStart(longest)}  ${bar(count / highest * width)}${
      count === 0 ? "" : " "
    }${count}`
  );
}

/** A bar of so many characters, to an eighth of one. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** How values go, each a character high at most; neighbors are averaged where there are more than `width`. */
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

/** Mean and standard deviation. */
export function meanAndSpread(values: readonly number[]): { mean: number; spread: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, spread: Math.sqrt(square) };
}
