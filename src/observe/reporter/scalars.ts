/**
 * Numbers on their way from the hooks that measure to those that log.
 *
 * @module
 */

import { type Slot, slot } from "../../hooks/protocol/context.ts";
import type { BaseContext } from "../../hooks/protocol/context.ts";

/** A few numbers of one step. */
export interface ScalarRow {
  /** The hook they are from. */
  readonly source: string;
  /** The step they belong to. */
  readonly step: number;
  /** What they are called → the numbers. */
  readonly values: Readonly<Record<string, number>>;
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

  /** How many were posted so far. */
  get posted(): number {
    return this.#posted;
  }

  /** Adds a row; the oldest goes where there are 256. */
  post(row: ScalarRow): void {
    this.#posted++;
    this.#rows.push(row);
    if (this.#rows.length > KEPT) this.#rows.shift();
  }

  /** The rows after the first `seen`, as far as they are kept. */
  after(seen: number): readonly ScalarRow[] {
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
