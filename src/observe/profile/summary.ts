/**
 * A profile in numbers.
 *
 * @module
 */

import type { TransitionSummary } from "./transition.ts";

/**
 * What a {@linkcode Profiler} has measured so far: a copy, which later steps do not change. `String(summary)` is a
 * table.
 *
 * @example
 * ```ts
 * import { ProfileSummary } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const row = {
 *   engine: "loop", domain: "walk", from: "walk/BEFORE_STEP", to: "walk/AFTER_STEP",
 *   count: 2, mean: 1.5, std: 0.5, min: 1, max: 2,
 * };
 * const summary = new ProfileSummary([row]);
 * assertEquals(summary.find("walk/BEFORE_STEP", "walk/AFTER_STEP")?.mean, 1.5);
 * assertEquals(
 *   String(summary),
 *   "transition                        count  mean/ms  std/ms  min/ms  max/ms\n" +
 *     "walk/BEFORE_STEP→walk/AFTER_STEP      2   1.5000  0.5000  1.0000  2.0000",
 * );
 * ```
 */
export class ProfileSummary {
  /** One row per engine and transition, in the order in which they were first seen. Durations in ms. */
  readonly transitions: readonly TransitionSummary[];

  /** Made by {@linkcode Profiler.summary}. */
  constructor(transitions: readonly TransitionSummary[]) {
    this.transitions = transitions;
  }

  /**
   * The row of one transition, by the full literals of its stages; `undefined` if it was not seen. With several
   * engines: that of the first which has it, unless one is named.
   */
  find(from: string, to: string, engine?: string): TransitionSummary | undefined {
    return this.transitions.find((row) =>
      row.from === from && row.to === to && (engine === undefined || row.engine === engine)
    );
  }

  /** A table with one line per transition; the engine is named where there are several. */
  toString(): string {
    const hasEngines = new Set(this.transitions.map(({ engine }) => engine)).size > 1;
    const lines = [
      ["engine", "transition", "count", "mean/ms", "std/ms", "min/ms", "max/ms"],
      ...this.transitions.map(cells),
    ].map((line) => hasEngines ? line : line.slice(1));
    const texts = hasEngines ? 2 : 1;
    const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
    return lines.map((line) =>
      line.map((cell, i) => i < texts ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))
        .join("  ")
    ).join("\n");
  }
}

function cells({ engine, from, to, count, mean, std, min, max }: TransitionSummary): string[] {
  const durations = [mean, std, min, max].map((ms) => ms.toFixed(4));
  return [engine, `${from}→${to}`, String(count), ...durations];
}
