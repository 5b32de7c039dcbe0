/**
 * Statistics of a profile.
 *
 * @module
 */

import type { TransitionSummary } from "./transition.ts";

/**
 * Measurements of a {@linkcode Profiler} so far, as a copy that later steps do not change. `String(summary)` is a
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
  /** One row per engine and transition, in the order of their first occurrence. Durations in ms. */
  readonly transitions: readonly TransitionSummary[];

  /** Creates a summary; {@linkcode Profiler.summary} calls it. */
  constructor(transitions: readonly TransitionSummary[]) {
    this.transitions = transitions;
  }

  /**
   * Returns the row of a transition by the literals of its two stages; `undefined` if it did not occur. If several
   * engines have the transition, returns the row of `engine`, by default that of the first engine.
   */
  find(from: string, to: string, engine?: string): TransitionSummary | undefined {
    return this.transitions.find((row) =>
      row.from === from && row.to === to && (engine === undefined || row.engine === engine)
    );
  }

  /** Returns a table with one line per transition. If there are several engines, each line names its engine. */
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
