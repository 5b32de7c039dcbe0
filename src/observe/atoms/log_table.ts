/**
 * Rows of a log: one for each system in a step.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import { show } from "../../base/show.ts";

/** Values of one system in one step. */
export interface LogRow {
  /** Number of steps done before the current one. */
  readonly step: number;
  /** Simulated time of the system, fs; NaN if steps take no time. */
  readonly time: number;
  /** Id of the system. */
  readonly systemId: number;
  /**
   * Status of the system: in a fused run the number of its stage, otherwise by default 1 if it has converged and 0 if
   * not.
   */
  readonly status: number;
  /** Potential energy, eV. */
  readonly energy: number;
  /** Largest force on an atom, eV/Å. */
  readonly fmax: number;
  /** Temperature, K. */
  readonly temperature: number;
  /** Value of each custom column, by the name of the column. */
  readonly [custom: string]: number;
}

/** A function that computes a custom column: one number for all systems, or one number for each system. */
export type CustomScalar = (ctx: DynamicsContext) => number | ArrayLike<number>;

/** Fields that every log reads. */
export const LOGGED: readonly Logged[] = [
  "time",
  "systemId",
  "status",
  "energy",
  "fmax",
  "temperature",
];

type Logged = "time" | "systemId" | "status" | "energy" | "fmax" | "temperature";

/** Columns that every log has. */
export const LOG_COLUMNS: readonly string[] = ["step", ...LOGGED];

/** Returns the rows of a step, in the order of the columns. Custom columns are last. */
export function tableOf(
  ctx: DynamicsContext,
  custom: Readonly<Record<string, CustomScalar>>,
): number[][] {
  const { batch: { size }, stepCount, read } = ctx;
  // Fields are copied, because a custom column may call the backend, which invalidates views.
  const fields = LOGGED.map((field) => Array.from(read[field]!));
  const own = Object.entries(custom).map(([name, scalar]) => columnOf(name, scalar(ctx), size));
  return Array.from({ length: size }, (_, system) => [
    stepCount,
    ...fields.map((values) => values[system]!),
    ...own.map((values) => values[system]!),
  ]);
}

function columnOf(name: string, values: unknown, size: number): ArrayLike<number> {
  if (typeof values === "number") return new Array<number>(size).fill(values);
  const isList = Array.isArray(values) || (ArrayBuffer.isView(values) && "length" in values);
  const list = isList ? Array.from(values as ArrayLike<unknown>) : undefined;
  if (list?.length === size && list.every((value) => typeof value === "number")) {
    return list as number[];
  }
  throw new TypeError(
    `Cannot log ${name}: its function must return a number, or one for each of ${size} systems; ` +
      `got ${show(list ?? values)}`,
  );
}
