import type { BenchRow } from "./row.ts";

/**
 * Largest value that counts as 0 if the limit is 0. A measured average of zero bytes per event is never exactly zero.
 * The smallest object, made at one event in twenty-four, is half a byte per event.
 */
const EPSILON = 0.5;

/** Compares a value with its limit. The guard fails if the result is `far`. */
export function judge({ limit }: Pick<BenchRow, "limit">, value: number): "good" | "over" | "far" {
  if (value <= limit) return "good";
  return value <= (limit === 0 ? EPSILON : 2 * limit) ? "over" : "far";
}
