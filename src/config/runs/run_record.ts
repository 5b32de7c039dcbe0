/**
 * The lines of a run log.
 *
 * @module
 */

import type { DeviceInUse } from "../../dynamics/engine/engine_device.ts";
import type { HookChange } from "../../hooks/protocol/control.ts";
import type { HookListing } from "../../hooks/registry/listing.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { Versions } from "../versions.ts";

/** What every line of a run log has. */
export interface RunMoment {
  /** The run's id; tells runs in one file apart. */
  readonly id: string;
  /** Which part of the run: 0, and one more each time the same log begins again. */
  readonly segment: number;
  /** When it was written, ISO 8601 in UTC. */
  readonly time: string;
  /** Steps the engine had done. */
  readonly step: number;
  /** All hooks as they were then: name, enabled, stages, frequency, order, overloads, errors so far, and more. */
  readonly hooks: readonly HookListing[];
}

/** The line at the start of a run. */
export interface RunStart extends RunMoment {
  /** What it says. */
  readonly type: "start";
  /** What the engine is called. */
  readonly engine: string;
  /** The commit that was checked out, or `"unknown"`. */
  readonly commit: string;
  /** The hash of the configuration; `null` when none was given. */
  readonly configHash: string | null;
  /** What ran. */
  readonly versions: Versions;
  /** Where the engine runs, and what was passed over and why; `null` for a loop that runs nowhere in particular. */
  readonly device: DeviceInUse | null;
  /** The names of the constraints of an engine for atoms, those of its batch included. */
  readonly constraints?: readonly string[];
}

/** The line for a change: `hooks` is how they are after it. */
export interface RunChange extends RunMoment {
  /** What it says. */
  readonly type: "change";
  /** What was done. */
  readonly change: HookChange["type"];
  /** To which hook. */
  readonly hook: string;
}

/** The line at the end of a run; a run that was killed has none. */
export interface RunEnd extends RunMoment {
  /** What it says. */
  readonly type: "end";
  /** How it ended. */
  readonly outcome: LoggedOutcome;
  /** Where it was then: it may have lost its device. */
  readonly device: DeviceInUse | null;
}

/** A line of a run log, as `JSON.parse` gives it. */
export type RunRecord = RunStart | RunChange | RunEnd;

/** How a run ended, as plain data. */
export type LoggedOutcome = Exclude<Outcome, { readonly status: "failed" }> | {
  /** A step threw. */
  readonly status: "failed";
  /** What it threw. */
  readonly error: LoggedError;
  /** Warnings of the engine about its results, if there were any. */
  readonly warnings?: readonly string[];
  /** Number of errors of hooks that did not stop the run, if there were any. */
  readonly hookErrors?: number;
};

/** An error as plain data. No stack: it tells more of a machine than of a run. */
export interface LoggedError {
  /** Its class. */
  readonly name: string;
  /** What it says. */
  readonly message: string;
  /** What caused it. */
  readonly cause?: LoggedError;
}

/** An outcome as plain data. */
export function loggedOutcome(outcome: Outcome): LoggedOutcome {
  return outcome.status === "failed"
    ? { ...outcome, error: loggedError(outcome.error, DEEPEST_CAUSE) }
    : outcome;
}

// Causes may go round in a circle.
const DEEPEST_CAUSE = 8;

function loggedError(thrown: unknown, depth: number): LoggedError {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: textOf(thrown) };
  const { name, message, cause } = thrown;
  return {
    name: textOf(name),
    message: textOf(message),
    ...(cause !== undefined && depth > 0 && { cause: loggedError(cause, depth - 1) }),
  };
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "(cannot be written as text)"; // an object without a prototype
  }
}
