/**
 * What a profiler can be told.
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

/** What a {@linkcode Profiler} can be told. */
export interface ProfilerOptions {
  /**
   * Looks at the stages of every n-th step.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * Its name among the hooks of an engine.
   *
   * @default "profiler"
   */
  readonly name?: string;
  /**
   * Where the Chrome trace is written whenever a run ends, however it ends: the file is there whole or not at all.
   *
   * @default none is written
   */
  readonly tracePath?: string | URL;
  /**
   * Whether transitions are kept for {@linkcode Profiler.trace}.
   *
   * @default true when there is a `tracePath`
   */
  readonly trace?: boolean;
  /**
   * How many transitions are kept for the trace, at 28 bytes each; older ones make room and are counted.
   *
   * @default 100_000
   */
  readonly traceCapacity?: number;
  /**
   * Takes the text of a trace instead of the file system: in a page, where there is none.
   *
   * @default a file of Deno's, by a temporary file beside it and a rename
   */
  readonly write?: (path: string | URL, text: string) => void | PromiseLike<void>;
  /**
   * Whether each stage becomes a `performance.mark` and each transition a `performance.measure`. The platform keeps
   * all of them until `performance.clearMarks()` and `clearMeasures()`.
   *
   * @default false
   */
  readonly userTiming?: boolean;
  /**
   * Makes an OpenTelemetry span of each run and in it of each transition; `false` for none.
   *
   * @default the registered one, if any: Deno's own when it runs with OTEL_DENO=true
   */
  readonly tracer?: ProfileTracer | false;
  /**
   * The clock, in ms; only differences count, except that User Timing and spans take it as `performance.now()`.
   *
   * @default performance.now()
   */
  readonly now?: () => Milliseconds;
}

/** The options with their defaults, but for the tracer, which is asked for when a run begins. */
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

/** Checks the options. Throws a TypeError for a wrong type, a RangeError for a wrong value. */
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
  check("name", "a text", isText);
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
      "Cannot make a profiler: its trace must be kept where there is a tracePath; got false",
    );
  }
  if (options.write === undefined && !hasFiles()) {
    throw new TypeError(
      "Cannot make a profiler: its tracePath must have a file system or a `write` option; got " +
        options.tracePath,
    );
  }
}
