/**
 * Descriptions of registered hooks.
 *
 * @module
 */

import type { StageInfo } from "../protocol/stage.ts";
import type { HookListing, PlanStep } from "./listing.ts";
import { type Entry, type StageHandler, timesAt } from "./stage_handler.ts";

/** Describes a registered hook. */
export function listEntry(
  entry: Entry,
  order: number,
  name: string = entry.name,
): HookListing {
  const { record, handlers } = entry;
  return {
    name,
    enabled: entry.enabled,
    stages: handlers.map(({ info }) => info.stage),
    frequency: record.schedule.frequency,
    order,
    band: entry.order,
    overloads: Object.fromEntries(handlers.map(({ info, matched }) => [info.stage, matched])),
    isFallback: handlers.length > 0 && handlers.every(({ matched }) => matched === "otherwise"),
    reads: record.reads,
    writes: record.writes,
    errors: entry.errors,
  };
}

/** Describes a handler as a step of a plan. */
export function planStep(
  { entry, info, matched }: StageHandler,
  hook: string = entry.name,
): PlanStep {
  return { hook, matched, when: describeSchedule(entry, info), enabled: entry.enabled };
}

function describeSchedule({ record }: Entry, info: StageInfo): string {
  const { counter, isEvent } = info, { when } = record;
  const { frequency, eventFrequency, phase, once, after, until, everySeconds, atEnd, sample } =
    timesAt(record, info);
  const n = isEvent ? eventFrequency : frequency;
  const unit = isEvent ? "event" : counter;
  return [
    n === 1 ? `every ${unit}` : `every ${n} ${unit}s`,
    !isEvent && phase > 0 && `phase ${phase}`,
    after > 0 && `from ${after}`,
    until < Infinity && `until ${until}`,
    once && "once",
    everySeconds > 0 && `at most every ${everySeconds} s`,
    sample < 1 && `sampled ${sample}`,
    when !== undefined && "conditional",
    !isEvent && atEnd && "at end",
  ].filter((part) => typeof part === "string").join(", ");
}
