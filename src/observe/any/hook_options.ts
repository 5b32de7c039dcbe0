/**
 * Checks of the options of ready-made hooks.
 *
 * @module
 */

import { DynamicsStage } from "../../dynamics/stages.ts";
import { scheduleOf } from "../../hooks/protocol/protocol.ts";
import {
  readSchedule,
  SCHEDULE_KEYS,
  type ScheduleOptions,
} from "../../hooks/protocol/schedule.ts";
import { checkNumber as checkValue, type NumberRule } from "../../base/check_number.ts";
import { checkOption, checkOptions as checkKnown } from "../../base/check_options.ts";
import type { Members } from "../../base/object.ts";
import { withArticle } from "../../base/show.ts";
import { stageInfos } from "../../hooks/protocol/stage.ts";

/** Schedule options of every ready-made observer. At event stages, such as `ON_CONVERGE`, only `once` has an effect. */
export type HookTimes = Omit<ScheduleOptions, "eventFrequency">;

/** Names of the members of {@linkcode HookTimes}. */
export const TIMES: readonly string[] = SCHEDULE_KEYS.filter((key) => key !== "eventFrequency");

/** Throws a TypeError if options are not an object, or have a member that is not in `known`. */
export function checkOptions(
  hook: string,
  options: unknown,
  known: readonly string[],
): void {
  checkKnown(making(hook), options, known);
}

/**
 * Checks the schedule options among `options`, and returns them as an object whose members the hook takes over.
 * Throws a TypeError or RangeError if one of them is not valid.
 */
export function timesOf(hook: string, options: object): HookTimes {
  const times = scheduleOf(options);
  readSchedule(hook, times);
  return times;
}

/** Throws a TypeError if an option is given and `isFine` returns false for it. The message contains `requirement`. */
export function checkType(
  hook: string,
  options: object,
  member: string,
  requirement: string,
  isFine: (value: unknown) => boolean,
): void {
  checkOption(making(hook), options, member, requirement, isFine);
}

/** Throws a TypeError if the option `stage` is given and is not a stage of dynamics. */
export function checkStage(hook: string, options: object): void {
  const stages = stageInfos([DynamicsStage]);
  checkType(hook, options, "stage", "a dynamics stage", (stage) => stages.has(stage as string));
}

/** Throws a TypeError if an option is given and is not a number, and a RangeError if it does not meet `rule`. */
export function checkNumber(
  hook: string,
  options: object,
  member: string,
  rule: NumberRule,
): void {
  const value = (options as Members)[member];
  if (value !== undefined) checkValue(making(hook), member, value, rule);
}

/** Throws a TypeError if a required option is missing. `what` describes the option in the message. */
export function checkRequired(hook: string, options: object, member: string, what: string): void {
  if ((options as Members)[member] !== undefined) return;
  throw new TypeError(
    `Cannot ${making(hook)}: ${member} is required: ${what}`,
  );
}

/** Returns whether the value is a function. */
export function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Returns whether the value is a boolean. */
export function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

/** Returns a function that tests whether a value is one of the given values. */
export function isOneOf(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

/** Returns the action in error messages of a constructor: `make a Webhook`. */
export function making(hook: string): string {
  return `make ${withArticle(hook)}`;
}
