/**
 * Rows and tables of docs/parity.md.
 *
 * @module
 */

import type { Figures } from "./figures.ts";
import type { Exported } from "./potentials.ts";

/** A potential, and what has been measured of it. */
export interface ParityRow {
  /** The potential. */
  readonly potential: Exported;
  /** Undefined if nothing has been measured. */
  readonly figures: Figures | undefined;
}

/** Returns a table of Markdown. */
export function table(
  head: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  return [head, head.map(() => "---"), ...lines]
    .map((line) => `| ${line.join(" | ")} |`).join("\n") + "\n";
}
