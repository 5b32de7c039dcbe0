/**
 * How a run ended, and what went wrong on the way.
 *
 * @module
 */

/** How a run ended. Hooks get it in `close`, callers from `run`. */
export type Outcome =
  | {
    /** All steps were done. */
    readonly status: "completed";
  }
  | {
    /** A hook, a signal or the caller asked to stop. */
    readonly status: "stopped";
    /** Why. */
    readonly reason: string;
    /** The step during which it was asked for. */
    readonly step: number;
  }
  | {
    /** A step threw. */
    readonly status: "failed";
    /** What it threw. */
    readonly error: unknown;
  };

/** What to do when a hook throws. */
export type ErrorPolicy = "throw" | "warn" | "disable";

/** A hook threw, and its policy was not to let that stop the run. */
export interface HookWarning {
  /** The hook's name. */
  readonly hook: string;
  /** Where it threw: a stage, or `"open"`, `"close"`, `"load"`, `"order"`, `"listener"`. */
  readonly stage: string;
  /** The step in which it threw. */
  readonly step: number;
  /** What it threw. */
  readonly error: unknown;
  /** How often this hook has thrown so far. */
  readonly count: number;
}
