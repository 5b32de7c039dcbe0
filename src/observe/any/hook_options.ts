/**
 * What ready-made hooks are told, checked.
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
import { complaint, withArticle } from "../../base/show.ts";
import { stageInfos } from "../../hooks/protocol/stage.ts";

/** When a ready-made observer fires: what every hook may say. Events ignore all of it but `once`. */
export type HookTimes = Omit<ScheduleOptions, "eventFrequency">;

/** The members of {@linkcode HookTimes}. */
export const TIMES: readonly string[] = SCHEDULE_KEYS.filter((key) => key !== "eventFrequency");

/** Throws a TypeError where options are no object, or have a member that is not known. */
export function checkOptions(
  hook: string,
  options: unknown,
  known: readonly string[],
): void {
  checkKnown(making(hook), options, known);
}

/** The times among options, checked; to be assigned to the hook. */
export function timesOf(hook: string, options: object): HookTimes {
  const times = scheduleOf(options);
  readSchedule(hook, times);
  return times;
}

/** Throws a TypeError where an option that is given is not what it must be. */
export function checkType(
  hook: string,
  options: object,
  member: string,
  requirement: string,
  isFine: (value: unknown) => boolean,
): void {
  checkOption(making(hook), options, member, requirement, isFine);
}

/** Throws a TypeError where the option `stage` is given and is none of dynamics. */
export function checkStage(hook: string, options: object): void {
  const stages = stageInfos([DynamicsStage]);
  checkType(hook, options, "stage", "a stage of dynamics", (stage) => stages.has(stage as string));
}

/** Throws for a number that is not what it must be: a TypeError for what is none, a RangeError for one that cannot be. */
export function checkNumber(
  hook: string,
  options: object,
  member: string,
  rule: NumberRule,
): void {
  const value = (options as Members)[member];
  if (value !== undefined) checkValue(making(hook), member, value, rule);
}

/** Throws a TypeError for an option that must be given. */
export function checkGiven(hook: string, options: object, member: string, what: string): void {
  if ((options as Members)[member] !== undefined) return;
  throw new TypeError(
    complaint(making(hook), `it must have ${member}, ${what}`, undefined),
  );
}

/** Is the value a function? */
export function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Is the value a truth value? */
export function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

/** Is the value one of these? */
export function isOneOf(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

/** What is attempted when a hook is made, as errors say it. */
export function making(hook: string): string {
  return `make ${withArticle(hook)}`;
}
