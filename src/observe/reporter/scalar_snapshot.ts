/**
 * Numbers of one moment of a run, and lines of JSON with them.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { isObject } from "../../base/object.ts";
import type { Histogram } from "./scalars.ts";

/** Names and numbers. */
export type NamedScalars = Readonly<Record<string, number>>;

/** The scalars of one moment of a run. */
export interface ScalarSnapshot {
  /** `ctx.stepCount`: in training the steps done, elsewhere those done before this one. */
  readonly step: number;
  /** When, s since 1970. */
  readonly time: number;
  /** Where in the step: `"dynamics/AFTER_STEP"`. */
  readonly stage: string;
  /** What the engine is called. */
  readonly engine: string;
  /** Name → number. */
  readonly scalars: NamedScalars;
  /** Name → histogram, if hooks have left some. */
  readonly histograms?: Readonly<Record<string, Histogram>>;
}

/** Returns the number of steps that are done at a stage. */
export function stepsDone({ step, stage }: Pick<ScalarSnapshot, "step" | "stage">): number {
  return stage.startsWith("training/") ? step : step + 1;
}

/** A line of JSON, without its newline. What is no finite number is a text: `"NaN"`, `"Infinity"`. */
export function scalarLine(snapshot: ScalarSnapshot): string {
  const { step, time, stage, engine, scalars, histograms } = snapshot;
  const texts = Object.entries(scalars).map(([name, value]) => [name, packed(value)]);
  const when = new Date(1000 * time).toISOString();
  const numbers = Object.fromEntries(texts);
  return JSON.stringify({ step, time: when, stage, engine, scalars: numbers, histograms });
}

/**
 * The snapshots in lines of JSON, as a reporter writes them. A last line without its newline was cut off by a kill and
 * is left out.
 *
 * @param text the lines
 * @param name what errors call them
 * @throws {SyntaxError} for a line that is none of a reporter's, with its number, from 1, and the member that is wrong
 *
 * @example
 * ```ts
 * import { parseScalarLines } from "@hooke/hooke/observe";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const line = '{"step":3,"time":"2026-01-01T00:00:00.000Z","stage":"walk/STEP","engine":"walk",' +
 *   '"scalars":{"x":1.5,"y":"NaN"}}\n';
 * assertEquals(parseScalarLines(line)[0]?.scalars, { x: 1.5, y: NaN });
 * assertThrows(() => parseScalarLines(line + "{}\n"), SyntaxError, "in line 2 its step");
 * ```
 */
export function parseScalarLines(text: string, name: string = "scalars"): ScalarSnapshot[] {
  const lines = text.split("\n");
  lines.pop(); // what stands behind the last newline
  return lines.map((line, i) => {
    const refuse = (requirement: string): never => {
      throw new SyntaxError(`Cannot read ${name}: in line ${i + 1} ${requirement}`);
    };
    return snapshotOf(line, refuse);
  });
}

type Refuse = (requirement: string) => never;

function snapshotOf(line: string, refuse: Refuse): ScalarSnapshot {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch (error) {
    refuse(`there must be JSON: ${(error as Error).message}`);
  }
  if (!isObject(row)) return refuse("there must be an object");
  const { step, time, stage, engine, scalars } = row;
  if (!Number.isSafeInteger(step) || Number(step) < 0) {
    refuse(`its step must be a whole number from 0 on; got ${show(step)}`);
  }
  const seconds = typeof time === "string" ? Date.parse(time) / 1000 : NaN;
  if (Number.isNaN(seconds)) {
    refuse(`its time must be a time as ISO 8601 writes it; got ${show(time)}`);
  }
  if (typeof stage !== "string" || typeof engine !== "string") {
    return refuse(
      `its stage and engine must be texts: they are ${show(stage)} and ${show(engine)}`,
    );
  }
  if (!isObject(scalars)) return refuse(`its scalars must be an object: it is ${show(scalars)}`);
  const numbers = Object.entries(scalars).map((
    [key, value],
  ) => [key, unpacked(key, value, refuse)]);
  return { step: Number(step), time: seconds, stage, engine, scalars: Object.fromEntries(numbers) };
}

function packed(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
    ? "-0"
    : String(value);
}

const TEXTS = ["NaN", "Infinity", "-Infinity", "-0"];

function unpacked(key: string, value: unknown, refuse: Refuse): number {
  if (typeof value === "number") return value;
  if (TEXTS.includes(value as string)) return Number(value);
  return refuse(
    `scalars[${JSON.stringify(key)}] must be a number; got ${show(value)}`,
  );
}
