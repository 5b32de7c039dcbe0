/**
 * Checks of the options of ready-made training hooks.
 *
 * @module
 */

import { wholeFrom } from "../../base/check_number.ts";
import type { BaseContext } from "../../hooks/protocol/context.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import {
  checkNumber,
  checkOptions,
  checkType,
  type HookTimes,
  isFunction,
  TIMES,
  timesOf,
} from "../any/hook_options.ts";
import { postOrPrint, type ScalarRow } from "../reporter/scalars.ts";

/** Option for the name of a training hook. */
export interface HookName {
  /**
   * Name of the hook among the hooks of its trainer. Two hooks of one class need two names.
   *
   * @default the name of the class in snake_case
   */
  readonly name?: string;
}

/** Options for the name and the schedule of a training hook. */
export interface TrainingHookTimes extends HookName, HookTimes {
  /**
   * Number of epochs after which the hook is first called.
   *
   * @default 0
   */
  readonly enableAfterEpoch?: number;
}

/** Option for the output of a hook that measures values. */
export interface RowWriter {
  /**
   * Function that takes each row of values.
   *
   * @default posts rows in the slot `scalars` for the logs among the hooks, or prints them if there are no logs
   */
  readonly write?: (row: ScalarRow) => void;
}

/** Names of the members of {@linkcode TrainingHookTimes}. */
export const TRAINING_TIMES: readonly string[] = ["name", "enableAfterEpoch", ...TIMES];

/**
 * Checks the names of all options, and the options `name` and `enableAfterEpoch`. Throws a TypeError or RangeError if
 * one of them is not valid.
 */
export function checkTraining(hook: string, options: object, known: readonly string[]): void {
  checkOptions(hook, options, known);
  checkType(hook, options, "name", "a string that is not empty", isText);
  checkNumber(hook, options, "enableAfterEpoch", wholeFrom(0));
}

/**
 * Checks the schedule options among `options`, and returns them as an object whose members the hook takes over.
 * Throws a TypeError or RangeError if one of them is not valid.
 */
export function trainingTimesOf(hook: string, options: TrainingHookTimes): TrainingHookTimes {
  const { enableAfterEpoch } = options;
  return { ...timesOf(hook, options), ...(enableAfterEpoch !== undefined && { enableAfterEpoch }) };
}

/**
 * Returns the schedule of a hook whose frequency is the option `member`. Throws a TypeError if `frequency` is given,
 * too.
 */
export function rowTimesOf(
  hook: string,
  options: TrainingHookTimes,
  { every, member }: { readonly every: number; readonly member: string },
): TrainingHookTimes & { readonly frequency: number } {
  if (options.frequency !== undefined) {
    throw new TypeError(
      complaint(
        `make a ${hook}`,
        `frequency must be left out, because the option "${member}" replaces it`,
        options.frequency,
      ),
    );
  }
  return { ...trainingTimesOf(hook, { ...options, frequency: every }), frequency: every };
}

/** Throws a TypeError if `write` is not a function. */
export function checkWrite(hook: string, options: object): void {
  checkType(hook, options, "write", "a function", isFunction);
}

/** Throws a TypeError if a saved state lacks a member that `save` returns. */
export function checkSaved(hook: string, state: unknown, members: readonly string[]): void {
  if (isObject(state) && members.every((member) => state[member] !== undefined)) return;
  throw new TypeError(complaint(`load ${hook}`, "its state must be a result of save()", state));
}

/** Returns whether the value is a string that is not empty. */
export function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Returns whether the value is a path or a URL. */
export function isPath(value: unknown): boolean {
  return isText(value) || value instanceof URL;
}

/**
 * Hands a row to `write` if it is given, otherwise to the logs among the hooks. If there are no logs, prints the row.
 */
export function deliver(
  ctx: Pick<BaseContext, "shared" | "workflow">,
  row: ScalarRow,
  write: RowWriter["write"],
): void {
  if (write === undefined) postOrPrint(ctx, row);
  else write(row);
}
