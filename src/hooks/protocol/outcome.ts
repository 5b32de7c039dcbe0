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
  }
  | {
    /** A hook, a signal or the caller asked to stop. */
    readonly status: "stopped";
    /** Why. */
    readonly reason: string;
    /** The step during which it was asked for. */
    readonly step: number;
    /** Warnings of the engine about its results, if there were any. */
    readonly warnings?: readonly string[];
  }
  | {
    /** A step threw. */
    readonly status: "failed";
    /** The error. */
    readonly error: unknown;
  };

/** The reaction to an error of a hook. */
export type ErrorPolicy = "throw" | "warn" | "disable";

/** An error of a hook that did not stop the run. */
export interface HookWarning {
  /** The hook's name. */
  readonly hook: string;
  /** The place of the error: a stage, or `"open"`, `"close"`, `"load"`, `"order"`, `"listener"`. */
  readonly stage: string;
  /** The step in which it threw. */
  readonly step: number;
  /** The error. */
  readonly error: unknown;
  /** Number of errors of this hook so far. */
  readonly count: number;
}
