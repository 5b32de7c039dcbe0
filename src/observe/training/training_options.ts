/**
 * What ready-made hooks of training are told, checked.
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

/** What a hook of training may be called. */
export interface HookName {
  /**
   * What it is called among the hooks of its trainer: two of a class need two names.
   *
   * @default the class's name in snake_case
   */
  readonly name?: string;
}

/** Name and times of a hook of training. */
export interface TrainingHookTimes extends HookName, HookTimes {
  /**
   * Asleep until so many epochs are done.
   *
   * @default 0
   */
  readonly enableAfterEpoch?: number;
}

/** Where a hook that measures hands its numbers. */
export interface RowWriter {
  /**
   * Takes each row of numbers.
   *
   * @default leaves them for the logs among the hooks, in the slot `scalars`; without one prints them
   */
  readonly write?: (row: ScalarRow) => void;
}

/** The members of {@linkcode TrainingHookTimes}. */
export const TRAINING_TIMES: readonly string[] = ["name", "enableAfterEpoch", ...TIMES];

/** Checks what is known of every hook of training: its members' names, its name. */
export function checkTraining(hook: string, options: object, known: readonly string[]): void {
  checkOptions(hook, options, known);
  checkType(hook, options, "name", "a name", isText);
  checkNumber(hook, options, "enableAfterEpoch", wholeFrom(0));
}

/** The times among options, checked; to be assigned to the hook. */
export function trainingTimesOf(hook: string, options: TrainingHookTimes): TrainingHookTimes {
  const { enableAfterEpoch } = options;
  return { ...timesOf(hook, options), ...(enableAfterEpoch !== undefined && { enableAfterEpoch }) };
}

/** The same without what every row has a frequency of its own for. Throws a TypeError where one is given. */
export function rowTimesOf(
  hook: string,
  options: TrainingHookTimes,
  { every, member }: { readonly every: number; readonly member: string },
): TrainingHookTimes & { readonly frequency: number } {
  if (options.frequency !== undefined) {
    throw new TypeError(
      complaint(
        `make a ${hook}`,
        `how often is said by ${member}, without frequency`,
        options.frequency,
      ),
    );
  }
  return { ...trainingTimesOf(hook, { ...options, frequency: every }), frequency: every };
}

/** Throws a TypeError for a `write` that is no function. */
export function checkWrite(hook: string, options: object): void {
  checkType(hook, options, "write", "a function", isFunction);
}

/** Throws a TypeError for saved state that lacks what `save` gives. */
export function checkSaved(hook: string, state: unknown, members: readonly string[]): void {
  if (isObject(state) && members.every((member) => state[member] !== undefined)) return;
  throw new TypeError(complaint(`load ${hook}`, "its state must be what save() gave", state));
}

/** Is the value a text with something in it? */
export function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Is the value a path, or an address? */
export function isPlace(value: unknown): boolean {
  return isText(value) || value instanceof URL;
}

/** Hands a row to `write`, to the logs among the hooks, or to the console if there are none. */
export function handOver(
  ctx: Pick<BaseContext, "shared" | "workflow">,
  row: ScalarRow,
  write: RowWriter["write"],
): void {
  if (write === undefined) postOrPrint(ctx, row);
  else write(row);
}
