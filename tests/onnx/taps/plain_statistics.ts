/**
 * Definitions of the statistics in plain numbers of double precision.
 *
 * @module
 */

import type { ScalarStatistic } from "../../../src/onnx/mod.ts";

/** Each by its definition. */
export const PLAIN: Readonly<Record<ScalarStatistic, (x: readonly number[]) => number>> = {
  mean,
  std: (x) => {
    const middle = mean(x);
    return Math.sqrt(mean(x.map((value) => (value - middle) ** 2)));
  },
  min: (x) => x.reduce((least, value) => Math.min(least, value), Infinity),
  max: (x) => x.reduce((most, value) => Math.max(most, value), -Infinity),
  norm: (x) => Math.sqrt(sum(x.map((value) => value ** 2))),
  nonFinite: (x) => x.filter((value) => !Number.isFinite(value)).length,
};

/** All names of them. */
export const COLUMNS: readonly ScalarStatistic[] = Object.keys(PLAIN) as ScalarStatistic[];

function sum(x: readonly number[]): number {
  return x.reduce((total, value) => total + value, 0);
}

function mean(x: readonly number[]): number {
  return sum(x) / x.length;
}

/**
 * Counts the numbers between edges. Numbers below the first and above the last edge count in the outer bins; NaN does
 * not count.
 */
export function plainHistogram(x: readonly number[], edges: readonly number[]): number[] {
  const counts = edges.slice(1).map(() => 0);
  for (const value of x) {
    if (Number.isNaN(value)) continue;
    const place = edges.slice(1, -1).filter((edge) => value >= edge).length;
    counts[place]! += 1;
  }
  return counts;
}

/** Equal but for float32's rounding, NaN and infinities included. */
export function isClose(actual: number, expected: number, tolerance = 1e-6): boolean {
  return Object.is(actual, expected) || actual === expected ||
    Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected));
}
