/**
 * The outcome of a run, and the warnings on the way.
 *
 * @module
 */

/** The outcome of a run. Hooks get it in `close`, callers from `run`. */
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
    /** Reason. */
    readonly reason: string;
    /** The steps that were done when it was asked for: `ctx.stepCount`. */
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

/** The reaction to an error of a hook. */
export type ErrorPolicy = "throw" | "warn" | "disable";

/** An error of a hook that did not stop the run, or a warning of the engine itself. */
export interface HookWarning {
  /** `"hook"` if a hook failed, `"engine"` if the engine warns of its own results. */
  readonly from: "hook" | "engine";
  /** The hook's name; of a warning of the engine its topic in parentheses, such as `"(stability)"`. */
  readonly hook: string;
  /** The place of the error: a stage, or `"open"`, `"close"`, `"load"`, `"order"`, `"listener"`. */
  readonly stage: string;
  /** The steps that were done when it threw, or was noticed: `ctx.stepCount`. */
  readonly step: number;
  /** The error. */
  readonly error: unknown;
  /** Number of errors of this hook so far; 1 for a warning of the engine. */
  readonly count: number;
}
