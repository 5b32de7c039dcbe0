/**
 * Arithmetic of a scripted trainer on its gradients and metrics.
 *
 * @module
 */

import type { ClipSettings } from "../../training/context.ts";

/** Replaces the prefix "val/" in the names of metrics by another prefix. */
export function renamed(
  metrics: Readonly<Record<string, number>>,
  prefix: string,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.replace(/^val\//, prefix), value]),
  );
}

/** Returns the mean of numbers. */
export function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
}

/** Returns the norm of all gradients together. */
export function normOf(gradients: ReadonlyMap<string, Float32Array>): number {
  let sum = 0;
  for (const slopes of gradients.values()) for (const slope of slopes) sum += slope * slope;
  return Math.sqrt(sum);
}

/** Clips gradients in place by their norm, then element by element. */
export function clipAll(
  gradients: ReadonlyMap<string, Float32Array>,
  { norm: most = Infinity, value: furthest = Infinity }: ClipSettings,
  norm: number,
): void {
  const factor = norm > most ? most / norm : 1;
  for (const slopes of gradients.values()) {
    for (let i = 0; i < slopes.length; i++) {
      slopes[i] = Math.max(-furthest, Math.min(furthest, slopes[i]! * factor));
    }
  }
}
