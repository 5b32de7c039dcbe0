/**
 * What a log has of a step: a row for each system.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import { show } from "../../base/show.ts";

/** One system in one step. */
export interface LogRow {
  /** Steps done before this one. */
  readonly step: number;
  /** The time the system has come, fs; NaN where steps take none. */
  readonly time: number;
  /** What the system is called. */
  readonly systemId: number;
  /** The stage of a run that it is in; 1 once it has converged, unless told otherwise. */
  readonly status: number;
  /** Potential energy, eV. */
  readonly energy: number;
  /** Largest force on an atom, eV/Å. */
  readonly fmax: number;
  /** K. */
  readonly temperature: number;
  /** Columns of the user's own. */
  readonly [custom: string]: number;
}

/** What gives a column of the user's own: one number for all systems, or one for each. */
export type CustomScalar = (ctx: DynamicsContext) => number | ArrayLike<number>;

/** The fields that every log reads. */
export const LOGGED: readonly Logged[] = [
  "time",
  "systemId",
  "status",
  "energy",
  "fmax",
  "temperature",
];

type Logged = "time" | "systemId" | "status" | "energy" | "fmax" | "temperature";

/** The columns that every log has. */
export const LOG_COLUMNS: readonly string[] = ["step", ...LOGGED];

/** The rows of a step, in the order of the columns, those of the user last. */
export function tableOf(
  ctx: DynamicsContext,
  custom: Readonly<Record<string, CustomScalar>>,
): number[][] {
  const { batch: { size }, stepCount, read } = ctx;
  // Copies: a column of the user's own may call the backend, after which views are no longer good.
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
    `Cannot log ${name}: its function must give a number, or one for each of ${size} systems; ` +
      `got ${show(list ?? values)}`,
  );
}
