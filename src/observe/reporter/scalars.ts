/**
 * Exchange of values between hooks that measure and hooks that log.
 *
 * @module
 */

import { type SharedSlot, slot } from "../../hooks/protocol/context.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import { printLine } from "../any/print_line.ts";

/** Distribution of some numbers over bins of equal width. */
export interface Histogram {
  /** Start of the first bin: the smallest finite number. */
  readonly from: number;
  /** End of the last bin: the largest finite number. */
  readonly to: number;
  /** Count of numbers in each bin. */
  readonly counts: readonly number[];
  /** Sum of the finite numbers. */
  readonly sum: number;
  /** Sum of the squares of the finite numbers. */
  readonly sumOfSquares: number;
}

/** Values that a hook measured in one step. */
export interface ScalarRow {
  /** Name of the hook that measured the values. */
  readonly source: string;
  /** Step in which the values were measured. */
  readonly step: number;
  /** Values by name. */
  readonly values: Readonly<Record<string, number>>;
  /**
   * Histograms by name.
   *
   * @default {}
   */
  readonly histograms?: Readonly<Record<string, Histogram>>;
  /**
   * Remark on the values for human readers. `ConsoleLog` writes a row with a note as a warning.
   *
   * @default undefined
   */
  readonly note?: string;
}

/** Number of rows that are kept for logs that have not read them yet. */
const KEPT = 256;

/**
 * Buffer of the latest 256 rows that hooks have posted. Each log reads the rows that it has not read yet.
 *
 * @example
 * ```ts
 * import { ScalarBuffer } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const buffer = new ScalarBuffer();
 * buffer.post({ source: "my hook", step: 3, values: { loss: 0.5 } });
 * assertEquals(buffer.after(0).map(({ values }) => values), [{ loss: 0.5 }]);
 * assertEquals(buffer.after(buffer.posted), []);
 * ```
 */
export class ScalarBuffer {
  #rows: ScalarRow[] = [];
  #posted = 0;
  #isRead = false;

  /** Number of rows posted so far. */
  get posted(): number {
    return this.#posted;
  }

  /** True once a log has read rows. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Adds a row. If there are more than 256, the oldest is dropped. */
  post(row: ScalarRow): void {
    this.#posted++;
    this.#rows.push(row);
    if (this.#rows.length > KEPT) this.#rows.shift();
  }

  /**
   * Returns the rows that were posted after the first `seen` rows, except those that were dropped. Marks the buffer
   * as read.
   */
  after(seen: number): readonly ScalarRow[] {
    this.#isRead = true;
    const fresh = Math.min(this.#posted - seen, this.#rows.length);
    return fresh <= 0 ? [] : this.#rows.slice(-fresh);
  }
}

/** Slot in which hooks post values for logs. `ConsoleLog`, `JsonLog` and `Reporter` read it. */
export const scalars: SharedSlot<ScalarBuffer> = slot<ScalarBuffer>("scalars");

/** Returns the row buffer of an engine, and creates it if needed. */
export function scalarsOf({ shared }: Pick<BaseContext, "shared">): ScalarBuffer {
  const known = shared.get(scalars);
  if (known !== undefined) return known;
  const made = new ScalarBuffer();
  shared.set(scalars, made);
  return made;
}

/**
 * Posts a row of values for the logs among the hooks.
 *
 * @example
 * ```ts
 * import { Shared } from "@hooke/hooke/hooks";
 * import { postScalars, scalars } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const ctx = { shared: new Shared() }; // what a handler gets has one
 * postScalars(ctx, { source: "sharpness", step: 7, values: { sharpness: 2.5 } });
 * assertEquals(ctx.shared.get(scalars)!.after(0)[0]!.values, { sharpness: 2.5 });
 * ```
 */
export function postScalars(ctx: Pick<BaseContext, "shared">, row: ScalarRow): void {
  scalarsOf(ctx).post(row);
}

const READ = new WeakSet<object>();

/** Records that a log reads the rows of an engine. */
export function markAsRead(engine: Workflow): void {
  READ.add(engine);
}

/** Posts a row for the logs among the hooks. If there are no logs, also prints the row, because it would be lost. */
export function postOrPrint(
  ctx: Pick<BaseContext, "shared" | "workflow">,
  row: ScalarRow,
): void {
  const board = scalarsOf(ctx);
  board.post(row);
  if (!READ.has(ctx.workflow) && !board.isRead) printLine(rowText(row));
}

/** Returns values as text, each with its name and six digits. */
export function valuesText(values: Readonly<Record<string, number>>): string {
  return Object.entries(values).map(([name, value]) => `${name} ${sixDigits(value)}`).join("  ");
}

/** Returns a row as a line of text. */
export function rowText({ source, step, values, histograms = {}, note }: ScalarRow): string {
  const numbers = Object.keys(values).length === 0 ? "" : `  ${valuesText(values)}`;
  const bars = Object.entries(histograms).map((each) => `  ${histogramText(...each)}`).join("");
  return `step ${step}  ${source}${numbers}${bars}${note === undefined ? "" : `  (${note})`}`;
}

/** Returns a histogram as text with one bar per bin. Only empty bins are blank. */
function histogramText(name: string, { from, to, counts }: Histogram): string {
  const most = Math.max(...counts);
  const bars = counts.map((count) => " ▁▂▃▄▅▆▇█"[Math.ceil(8 * count / most)] ?? " ").join("");
  return `${name} ${sixDigits(from)}|${bars}|${sixDigits(to)}`;
}

/** Formats a number with six digits, without trailing zeros. */
function sixDigits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
