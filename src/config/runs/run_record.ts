/**
 * Lines of a run log.
 *
 * @module
 */

import type { DeviceInUse } from "../../dynamics/engine/engine_device.ts";
import type { HookChange } from "../../hooks/protocol/control.ts";
import type { HookListing } from "../../hooks/registry/listing.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { VersionInfo } from "../versions.ts";

/** Members of every line of a run log. */
export interface RunMoment {
  /** Id of the run. It distinguishes runs in one file. */
  readonly id: string;
  /** Number of the segment: 0, and one more each time the same log begins again. */
  readonly segment: number;
  /** Time of the line, ISO 8601 in UTC. */
  readonly time: string;
  /** Number of steps that the engine had done. */
  readonly step: number;
  /** All hooks at that time: name, enabled, stages, frequency, order, overloads, number of errors, and more. */
  readonly hooks: readonly HookListing[];
}

/** The line at the start of a run. */
export interface RunStart extends RunMoment {
  /** Type of the line. */
  readonly type: "start";
  /** Name of the engine. */
  readonly engine: string;
  /** Hash of the commit that was checked out, or `"unknown"`. */
  readonly commit: string;
  /** Hash of the configuration; `null` without a configuration. */
  readonly configHash: string | null;
  /** Versions of this package and of the runtime. */
  readonly versions: VersionInfo;
  /** Device of the engine, with the devices that were skipped and the reasons; `null` for a loop without devices. */
  readonly device: DeviceInUse | null;
  /** Names of the constraints of an engine of dynamics, those of its batch included. */
  readonly constraints?: readonly string[];
}

/** The line for a change. Its `hooks` show the state after it. */
export interface RunChange extends RunMoment {
  /** Type of the line. */
  readonly type: "change";
  /** Kind of the change. */
  readonly change: HookChange["type"];
  /** Name of the hook. */
  readonly hook: string;
}

/** The line at the end of a run. A run that was killed does not have it. */
export interface RunEnd extends RunMoment {
  /** Type of the line. */
  readonly type: "end";
  /** Outcome of the run. */
  readonly outcome: LoggedOutcome;
  /** Device at that time: the engine may have lost its first one. */
  readonly device: DeviceInUse | null;
}

/** A line of a run log, as `JSON.parse` returns it. */
export type RunRecord = RunStart | RunChange | RunEnd;

/** Outcome of a run as plain data. */
export type LoggedOutcome = Exclude<Outcome, { readonly status: "failed" }> | {
  /** The run failed. */
  readonly status: "failed";
  /** Error that ended the run. */
  readonly error: LoggedError;
  /** Warnings of the engine about its results, if there were any. */
  readonly warnings?: readonly string[];
  /** Number of errors of hooks that did not stop the run, if there were any. */
  readonly hookErrors?: number;
};

/** An error as plain data. The stack is left out, because it describes the machine more than the run. */
export interface LoggedError {
  /** Name of the class. */
  readonly name: string;
  /** Message. */
  readonly message: string;
  /** Cause of the error. */
  readonly cause?: LoggedError;
}

/** Returns an outcome as plain data. */
export function loggedOutcome(outcome: Outcome): LoggedOutcome {
  return outcome.status === "failed"
    ? { ...outcome, error: loggedError(outcome.error, DEEPEST_CAUSE) }
    : outcome;
}

// Largest depth of causes, which may be circular.
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
    return "(cannot be converted to text)"; // an object without a prototype
  }
}
