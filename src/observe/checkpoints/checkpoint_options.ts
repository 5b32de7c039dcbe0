/**
 * What a hook that writes checkpoints is told, checked.
 *
 * @module
 */

import { POSITIVE, wholeFrom } from "../../base/check_number.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { complaint } from "../../base/show.ts";
import { checkGiven, checkNumber, checkOptions, checkType, isFlag } from "../any/hook_options.ts";
import { isPlace } from "../training/training_options.ts";

/** An engine whose state can be kept: any of dynamics, and a trainer. */
export interface KeptEngine extends Workflow {
  /** Does something between two steps. */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T>;
  /** Writes a file from which it can go on. */
  saveCheckpoint(path: string): Promise<void>;
  /** What is to be in that file, so that it can be written while steps go on. */
  takeCheckpoint?(): Promise<Uint8Array<ArrayBuffer>>;
}

/** What a `CheckpointHook` is made of. */
export interface CheckpointHookOptions {
  /** The folder of its files, which is made where it is not there. */
  readonly folder: string | URL;
  /**
   * A checkpoint whenever so many steps more are done.
   *
   * @default 1000, or none where `everySeconds` is given
   */
  readonly everySteps?: number;
  /**
   * A checkpoint when so much time has passed since the last of these, seconds.
   *
   * @default none
   */
  readonly everySeconds?: number;
  /**
   * How many are kept, the newest.
   *
   * @default 1
   */
  readonly keepLast?: number;
  /**
   * Whether there is one of the end of each run, too.
   *
   * @default true
   */
  readonly atEnd?: boolean;
  /**
   * Whether there is one of the beginning of each run of dynamics, too: where a run is killed before there is another, the
   * next one goes on from it, and what the first has written is not written twice.
   *
   * @default true
   */
  readonly atBegin?: boolean;
  /**
   * What else must be safe before a checkpoint is written, besides what hooks write to.
   *
   * @default none
   */
  readonly sinks?: readonly { flush?(): void | PromiseLike<void> }[];
  /**
   * What it is called.
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

/** Throws a TypeError or RangeError that names the option that is wrong. */
export function checkCheckpoints(options: CheckpointHookOptions): void {
  checkOptions(NAME, options, OPTIONS);
  checkGiven(NAME, options, "folder", "the folder of its files");
  checkType(NAME, options, "folder", "a path", isPlace);
  checkNumber(NAME, options, "everySteps", wholeFrom(1));
  checkNumber(NAME, options, "everySeconds", POSITIVE);
  checkNumber(NAME, options, "keepLast", wholeFrom(1));
  checkType(NAME, options, "atEnd", "true or false", isFlag);
  checkType(NAME, options, "atBegin", "true or false", isFlag);
  checkType(NAME, options, "sinks", "a list of sinks", Array.isArray);
  const isName = (x: unknown) => typeof x === "string" && x !== "";
  if (options.name === undefined || isName(options.name)) return;
  throw new TypeError(complaint(`make a ${NAME}`, "name must be a name", options.name));
}
