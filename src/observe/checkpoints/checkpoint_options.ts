/**
 * Options of {@linkcode CheckpointHook}, and their checks.
 *
 * @module
 */

import { POSITIVE, wholeFrom } from "../../base/check_number.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { complaint } from "../../base/show.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  isFlag,
} from "../any/hook_options.ts";
import { isPath } from "../training/training_options.ts";

/** An engine that can write checkpoints: any engine of dynamics, or a trainer. */
export interface CheckpointableEngine extends Workflow {
  /** Runs a function between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Writes a checkpoint to a file. */
  saveCheckpoint(path: string): Promise<void>;
  /** Returns the content of a checkpoint, so that it can be written to a file during the next steps. */
  takeCheckpoint?(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Options of `CheckpointHook`. */
export interface CheckpointHookOptions {
  /** Folder for the checkpoints. It is created if it does not exist. */
  readonly folder: string | URL;
  /**
   * Number of steps between two checkpoints.
   *
   * @default 1000, or undefined if `everySeconds` is given
   */
  readonly everySteps?: number;
  /**
   * Time between two checkpoints, s.
   *
   * @default undefined: checkpoints are written by steps only
   */
  readonly everySeconds?: number;
  /**
   * Number of newest checkpoints to keep.
   *
   * @default 1
   */
  readonly keepLast?: number;
  /**
   * Writes a checkpoint at the end of each run, too.
   *
   * @default true
   */
  readonly atEnd?: boolean;
  /**
   * Writes a checkpoint at the beginning of each run of dynamics, too. If the run is killed before the next
   * checkpoint, it can resume from this one without duplicate rows in its files.
   *
   * @default true
   */
  readonly atBegin?: boolean;
  /**
   * Sinks to flush before a checkpoint is written, besides those of the hooks.
   *
   * @default []
   */
  readonly sinks?: readonly { flush?(): void | PromiseLike<void> }[];
  /**
   * Name of the hook.
   *
   * @default "checkpoints"
   */
  readonly name?: string;
}

const NAME = "CheckpointHook";
const OPTIONS = [
  "folder",
  "everySteps",
  "everySeconds",
  "keepLast",
  "atEnd",
  "atBegin",
  "sinks",
  "name",
];

/** Throws a TypeError or RangeError if an option is not valid; the message names the option. */
export function checkCheckpoints(options: CheckpointHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkRequired(NAME, options, "folder", "the folder for the checkpoints");
  checkType(NAME, options, "folder", "a path", isPath);
  checkNumber(NAME, options, "everySteps", wholeFrom(1));
  checkNumber(NAME, options, "everySeconds", POSITIVE);
  checkNumber(NAME, options, "keepLast", wholeFrom(1));
  checkType(NAME, options, "atEnd", "true or false", isFlag);
  checkType(NAME, options, "atBegin", "true or false", isFlag);
  checkType(NAME, options, "sinks", "a list of sinks", Array.isArray);
  const isName = (x: unknown) => typeof x === "string" && x !== "";
  if (options.name === undefined || isName(options.name)) return;
  throw new TypeError(
    complaint(`make a ${NAME}`, "name must be a string that is not empty", options.name),
  );
}
