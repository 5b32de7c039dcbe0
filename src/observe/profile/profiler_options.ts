/**
 * Options of a profiler.
 *
 * @module
 */

import { checkNumber, wholeFrom } from "../../base/check_number.ts";
import { checkOption, checkOptions } from "../../base/check_options.ts";
import { isFlag, isFunction } from "../any/hook_options.ts";
import { isText } from "../training/training_options.ts";
import type { ProfileTracer } from "../reporter/open_telemetry.ts";
import type { Milliseconds } from "./transition.ts";
import { hasFiles, writeFile } from "../any/write_file.ts";

/** Options of {@linkcode Profiler}. */
export interface ProfilerOptions {
  /**
   * Number of steps between two sampled steps.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Name of the hook.
   *
   * @default "profiler"
   */
  readonly name?: string;
  /**
   * File for the Chrome trace, which is replaced atomically whenever a run ends, including runs that fail.
   *
   * @default undefined: no file is written
   */
  readonly tracePath?: string | URL;
  /**
   * Records transitions for {@linkcode Profiler.trace}.
   *
   * @default true if there is a `tracePath`
   */
  readonly trace?: boolean;
  /**
   * Largest number of transitions that the trace keeps, at 28 bytes each. The oldest are dropped and counted.
   *
   * @default 100_000
   */
  readonly traceCapacity?: number;
  /**
   * Function that writes the text of a trace. Required in web pages, which have no file system.
   *
   * @default writes a temporary file and renames it
   */
  readonly write?: (path: string | URL, text: string) => void | PromiseLike<void>;
  /**
   * Creates a `performance.mark` for each stage and a `performance.measure` for each transition. The platform keeps
   * all of them until `performance.clearMarks()` and `clearMeasures()`.
   *
   * @default false
   */
  readonly userTiming?: boolean;
  /**
   * Tracer that creates an OpenTelemetry span for each run, and a child span for each transition. `false` turns spans
   * off.
   *
   * @default the registered tracer, if any, such as Deno's if it runs with OTEL_DENO=true
   */
  readonly tracer?: ProfileTracer | false;
  /**
   * Returns the time in ms. Only differences matter, except that User Timing and spans expect the time of
   * `performance.now()`.
   *
   * @default performance.now()
   */
  readonly now?: () => Milliseconds;
}

/** Options with defaults applied, except for the tracer, which is looked up when a run begins. */
export type ReadOptions =
  & Required<Omit<ProfilerOptions, "tracePath" | "tracer">>
  & Pick<ProfilerOptions, "tracePath" | "tracer">;

const NAMES: readonly string[] = Object.keys(
  {
    frequency: true,
    name: true,
    trace: true,
    tracePath: true,
    traceCapacity: true,
    write: true,
    userTiming: true,
    tracer: true,
    now: true,
  } satisfies Readonly<Record<keyof ProfilerOptions, true>>,
);

const ACTION = "make a profiler";

/** Checks the options, and applies defaults. Throws a TypeError for a wrong type, a RangeError for a wrong value. */
export function readOptions(options: ProfilerOptions): ReadOptions {
  checkOptions(ACTION, options, NAMES);
  checkTypes(options);
  checkTrace(options);
  return {
    frequency: 1,
    name: "profiler",
    trace: options.tracePath !== undefined,
    traceCapacity: 100_000,
    write: writeFile,
    userTiming: false,
    now: () => performance.now(),
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

function checkTypes(options: ProfilerOptions): void {
  const check = (name: keyof ProfilerOptions, what: string, isFine: (value: unknown) => boolean) =>
    checkOption(ACTION, options, name, what, isFine);
  for (const name of ["frequency", "traceCapacity"] as const) {
    if (options[name] !== undefined) checkNumber(ACTION, name, options[name], wholeFrom(1));
  }
  check("name", "a string", isText);
  check("tracePath", "a path", (x) => isText(x) || x instanceof URL);
  check("trace", "true or false", isFlag);
  check("userTiming", "true or false", isFlag);
  check("write", "a function", isFunction);
  check("now", "a function", isFunction);
  const isTracer = (x: unknown) =>
    x === false || typeof (x as Partial<ProfileTracer> | null)?.startSpan === "function";
  check("tracer", "a tracer with startSpan, or false", isTracer);
}

function checkTrace(options: ProfilerOptions): void {
  if (options.tracePath === undefined) return;
  if (options.trace === false) {
    throw new TypeError(
      "Cannot make a profiler: trace must be true if there is a tracePath; got false",
    );
  }
  if (options.write === undefined && !hasFiles()) {
    throw new TypeError(
      `Cannot make a profiler: there is no file system for tracePath ${options.tracePath}. Pass write, too`,
    );
  }
}
