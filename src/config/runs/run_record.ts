/**
 * Records of a run log. Each record is one line of the log.
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
  /** Id of the run. It tells runs apart that share a file. */
  readonly id: string;
  /**
   * Number of the segment. It is 0 for the first segment, and increases by 1 each time the same log is opened again.
   */
  readonly segment: number;
  /** Time of the line, ISO 8601 in UTC. */
  readonly time: string;
  /** Number of steps that the engine had done at that time. */
  readonly step: number;
  /** All hooks at that time: name, enabled, stages, frequency, order, overloads, number of errors, and more. */
  readonly hooks: readonly HookListing[];
}

/** The record of the start of a run. */
export interface RunStart extends RunMoment {
  /** Type of the line. */
  readonly type: "start";
  /** Name of the engine. */
  readonly engine: string;
  /** Hash of the commit that was checked out, or `"unknown"`. */
  readonly commit: string;
  /** Hash of the configuration; `null` if there is no configuration. */
  readonly configHash: string | null;
  /** Versions of this package and of the runtime. */
  readonly versions: VersionInfo;
  /** Device of the engine, with the devices that were skipped and the reasons; `null` for a loop without devices. */
  readonly device: DeviceInUse | null;
  /**
   * Runtime that computes the ONNX model of an engine of dynamics on wasm, its number of threads, and why native code is
   * not used. Absent on other devices, and if kernels compute the model.
   */
  readonly runtime?: string;
  /** Names of the constraints of an engine of dynamics and of its batch. Absent if there are no constraints. */
  readonly constraints?: readonly string[];
}

/** The record of a change of a hook. Its `hooks` show the state after the change. */
export interface RunChange extends RunMoment {
  /** Type of the line. */
  readonly type: "change";
  /** Kind of change, such as `"add"` or `"disable"`. */
  readonly change: HookChange["type"];
  /** Name of the changed hook. */
  readonly hook: string;
}

/** The record of the end of a run. A run that was killed has no such record. */
export interface RunEnd extends RunMoment {
  /** Type of the line. */
  readonly type: "end";
  /** Outcome of the run. */
  readonly outcome: LoggedOutcome;
  /** Device of the engine at the end. It differs from the device at the start if the engine has lost that device. */
  readonly device: DeviceInUse | null;
}

/** A record of a run log, as `JSON.parse` returns it. */
export type RunRecord = RunStart | RunChange | RunEnd;

/** Outcome of a run as plain data. */
export type LoggedOutcome = Exclude<Outcome, { readonly status: "failed" }> | {
  /** The run failed. */
  readonly status: "failed";
  /** Error that ended the run. */
  readonly error: LoggedError;
  /** Warnings of the engine about its results. Absent if there were no warnings. */
  readonly warnings?: readonly string[];
  /** Number of errors of hooks that did not stop the run. Absent if there were no such errors. */
  readonly hookErrors?: number;
};

/** An error as plain data. The stack is left out, because it describes the machine more than the run. */
export interface LoggedError {
  /** Name of the class. */
  readonly name: string;
  /** Message of the error. */
  readonly message: string;
  /** Cause of the error, if it has one. */
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
