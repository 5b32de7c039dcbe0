/**
 * Numbers on their way from the hooks that measure to those that log.
 *
 * @module
 */

import { type Slot, slot } from "../../hooks/protocol/context.ts";
import type { BaseContext, Workflow } from "../../hooks/protocol/context.ts";
import { printLine } from "../any/print_line.ts";

/** The distribution of some numbers over bins of equal width. */
export interface Histogram {
  /** Start of the first bin: the least finite number. */
  readonly from: number;
  /** End of the last bin: the largest finite number. */
  readonly to: number;
  /** Count of numbers in each bin. */
  readonly counts: readonly number[];
  /** Sum of the finite numbers. */
  readonly sum: number;
  /** Sum of their squares. */
  readonly sumOfSquares: number;
}

/** A few numbers of one step. */
export interface ScalarRow {
  /** The hook they are from. */
  readonly source: string;
  /** The step they belong to. */
  readonly step: number;
  /** What they are called → the numbers. */
  readonly values: Readonly<Record<string, number>>;
  /**
   * Histograms by name.
   *
   * @default none
   */
  readonly histograms?: Readonly<Record<string, Histogram>>;
  /**
   * What somebody should know about them, in words.
   *
   * @default nothing
   */
  readonly note?: string;
}

/** So many rows are kept for logs that have not come yet. */
const KEPT = 256;

/** The latest rows: each log takes those that it has not seen. */
export class Scalars {
  #rows: ScalarRow[] = [];
  #posted = 0;
  #isRead = false;

  /** How many were posted so far. */
  get posted(): number {
    return this.#posted;
  }

  /** True once somebody has looked for rows. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Adds a row; the oldest goes where there are 256. */
  post(row: ScalarRow): void {
    this.#posted++;
    this.#rows.push(row);
    if (this.#rows.length > KEPT) this.#rows.shift();
  }

  /** The rows after the first `seen`, as far as they are kept. */
  after(seen: number): readonly ScalarRow[] {
    this.#isRead = true;
    const fresh = Math.min(this.#posted - seen, this.#rows.length);
    return fresh <= 0 ? [] : this.#rows.slice(-fresh);
  }
}

/** Where hooks leave numbers for logs: a `ConsoleLog` and a `JsonLog` write what they find there. */
export const scalars: Slot<Scalars> = slot<Scalars>("scalars");

/** The rows of an engine. */
export function scalarsOf({ shared }: Pick<BaseContext, "shared">): Scalars {
  const known = shared.get(scalars);
  if (known !== undefined) return known;
  const made = new Scalars();
  shared.set(scalars, made);
  return made;
}

/**
 * Leaves a row of numbers for the logs among the hooks.
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

/** Marks an engine as one of which a log writes the rows. */
export function readRows(engine: Workflow): void {
  READ.add(engine);
}

/** Leaves a row for the logs among the hooks; prints it if there is none, as it would be lost. */
export function postOrPrint(
  ctx: Pick<BaseContext, "shared" | "workflow">,
  row: ScalarRow,
): void {
  const board = scalarsOf(ctx);
  board.post(row);
  if (!READ.has(ctx.workflow) && !board.isRead) printLine(rowInWords(row));
}

/** Returns numbers as text. */
export function inWords(values: Readonly<Record<string, number>>): string {
  return Object.entries(values).map(([name, value]) => `${name} ${shortly(value)}`).join("  ");
}

/** Returns a row as a line of text. */
export function rowInWords({ source, step, values, histograms = {}, note }: ScalarRow): string {
  const numbers = Object.keys(values).length === 0 ? "" : `  ${inWords(values)}`;
  const bars = Object.entries(histograms).map((each) => `  ${barsOf(...each)}`).join("");
  return `step ${step}  ${source}${numbers}${bars}${note === undefined ? "" : `  (${note})`}`;
}

/** A histogram as text, a bar for each bin; a bin with a few numbers has a low bar, an empty one a space. */
function barsOf(name: string, { from, to, counts }: Histogram): string {
  const most = Math.max(...counts);
  const bars = counts.map((count) => " ▁▂▃▄▅▆▇█"[Math.ceil(8 * count / most)] ?? " ").join("");
  return `${name} ${shortly(from)}|${bars}|${shortly(to)}`;
}

/** Six digits, and no zeros after them. */
function shortly(value: number): string {
  return String(Number(value.toPrecision(6)));
}
