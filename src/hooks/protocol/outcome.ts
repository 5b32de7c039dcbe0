/**
 * The outcome of a run, and the warnings that arise during it.
 *
 * @module
 */

/** The outcome of a run. `close` of each hook receives it, and `run` returns it. */
export type Outcome =
  | {
    /** All steps were done. */
    readonly status: "completed";
    /** Warnings of the engine about its results, if there were any. */
    readonly warnings?: readonly string[];
    /** Number of errors of hooks that did not stop the run, if there were any. */
    readonly hookErrors?: number;
  }
  | {
    /** A hook, a signal or the caller asked to stop. */
    readonly status: "stopped";
    /** The reason given with the first request to stop. */
    readonly reason: string;
    /** Value of `ctx.stepCount` when the stop was requested. */
    readonly step: number;
    /** Warnings of the engine about its results, if there were any. */
    readonly warnings?: readonly string[];
    /** Number of errors of hooks that did not stop the run, if there were any. */
    readonly hookErrors?: number;
  }
  | {
    /** A step threw. */
    readonly status: "failed";
    /** The error. */
    readonly error: unknown;
    /** Warnings of the engine about its results, if there were any. */
    readonly warnings?: readonly string[];
    /** Number of errors of hooks that did not stop the run, if there were any. */
    readonly hookErrors?: number;
  };

/** The reaction to an error of a hook: end the run, emit a warning, or emit a warning and disable the hook. */
export type ErrorPolicy = "throw" | "warn" | "disable";

/** An error of a hook that did not stop the run, or a warning of the engine itself. */
export interface HookWarning {
  /** `"hook"` if a hook failed, `"engine"` if the engine warns of its own results. */
  readonly from: "hook" | "engine";
  /** Name of the hook. For a warning of the engine, its topic in parentheses, such as `"(stability)"`. */
  readonly hook: string;
  /** The stage at which the error occurred, or `"open"`, `"close"`, `"load"`, `"order"` or `"listener"`. */
  readonly stage: string;
  /** Value of `ctx.stepCount` when the error was thrown, or when the engine noticed it. */
  readonly step: number;
  /** The error. */
  readonly error: unknown;
  /** Number of errors of this hook so far, including this one; 1 for a warning of the engine. */
  readonly count: number;
}
