/**
 * Scalars at one point of a run, and their form as JSON Lines.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { isObject } from "../../base/object.ts";
import type { Histogram } from "./scalars.ts";

/** Values by name. */
export type NamedScalars = Readonly<Record<string, number>>;

/** Scalars at one point of a run. */
export interface ScalarSnapshot {
  /**
   * `ctx.stepCount`: in training the number of steps done, otherwise the number of steps done before the current one.
   */
  readonly step: number;
  /** Time in s since 1970. */
  readonly time: number;
  /** Literal of the stage, such as `"dynamics/AFTER_STEP"`. */
  readonly stage: string;
  /** Name of the engine. */
  readonly engine: string;
  /** Scalars by name. */
  readonly scalars: NamedScalars;
  /** Histograms by name; `undefined` if hooks have posted no histograms. */
  readonly histograms?: Readonly<Record<string, Histogram>>;
}

/** Returns the number of steps that are done at a stage. */
export function stepsDone({ step, stage }: Pick<ScalarSnapshot, "step" | "stage">): number {
  return stage.startsWith("training/") ? step : step + 1;
}

/**
 * Returns a snapshot as a line of JSON without a newline. Values that JSON lacks are written as text: `"NaN"`,
 * `"Infinity"`, `"-Infinity"`, `"-0"`.
 */
export function scalarLine(snapshot: ScalarSnapshot): string {
  const { step, time, stage, engine, scalars, histograms } = snapshot;
  const texts = Object.entries(scalars).map(([name, value]) => [name, packed(value)]);
  const when = new Date(1000 * time).toISOString();
  const numbers = Object.fromEntries(texts);
  return JSON.stringify({ step, time: when, stage, engine, scalars: numbers, histograms });
}

/**
 * Parses lines of JSON that a reporter wrote. A last line without a newline was cut off when the process was killed,
 * and is ignored.
 *
 * @param text the lines
 * @param name name of the text in errors
 * @throws {SyntaxError} if a reporter cannot have written a line; the message has the number of the line, from 1, and
 * the wrong member
 *
 * @example
 * ```ts
 * import { parseScalarLines } from "@hooke/hooke/observe";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const line = '{"step":3,"time":"2026-01-01T00:00:00.000Z","stage":"walk/STEP","engine":"walk",' +
 *   '"scalars":{"x":1.5,"y":"NaN"}}\n';
 * assertEquals(parseScalarLines(line)[0]?.scalars, { x: 1.5, y: NaN });
 * assertThrows(() => parseScalarLines(line + "{}\n"), SyntaxError, "line 2: its step");
 * ```
 */
export function parseScalarLines(text: string, name: string = "scalars"): ScalarSnapshot[] {
  const lines = text.split("\n");
  lines.pop(); // the text after the last newline
  return lines.map((line, i) => {
    const refuse = (requirement: string): never => {
      throw new SyntaxError(`Cannot read ${name}, line ${i + 1}: ${requirement}`);
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
    refuse(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(row)) return refuse("it must be an object");
  const { step, time, stage, engine, scalars } = row;
  if (!Number.isSafeInteger(step) || Number(step) < 0) {
    refuse(`its step must be a non-negative integer; got ${show(step)}`);
  }
  const seconds = typeof time === "string" ? Date.parse(time) / 1000 : NaN;
  if (Number.isNaN(seconds)) {
    refuse(`its time must be a time in ISO 8601; got ${show(time)}`);
  }
  if (typeof stage !== "string" || typeof engine !== "string") {
    return refuse(
      `its stage and engine must be strings; got ${show(stage)} and ${show(engine)}`,
    );
  }
  if (!isObject(scalars)) return refuse(`its scalars must be an object; got ${show(scalars)}`);
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
