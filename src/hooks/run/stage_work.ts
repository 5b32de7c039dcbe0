/**
 * Which hooks of a stage the engine does the work of by itself.
 *
 * @module
 */

import { isDeviceHook, isHostWork, isLastWork, type StageWork } from "./device_work.ts";
import type { Entry, Place } from "../registry/entry.ts";
import type { StageInfo } from "../protocol/stage.ts";

/**
 * Which modifiers of a stage need no visit: those with a plain schedule, as long as no modifier before them needs
 * one, so that the order stays what it is; and those that come last in any order.
 */
export function unvisited(places: readonly Place[], { counter, isEvent }: StageInfo): Place[] {
  if (counter !== "step" || isEvent) return [];
  const end = places.findIndex(({ entry: { record }, schedule }) =>
    !(isDeviceHook(record.hook) && !isHostWork(record.hook) && schedule.isPlain &&
      record.when === undefined)
  );
  if (end === -1) return [...places];
  return places.filter(({ entry }, i) => i < end || isLastWork(entry.record.hook));
}

/** A place as work for the engine. */
export function stageWork({ entry }: { readonly entry: Entry }): StageWork {
  const { hook, schedule: { frequency, phase } } = entry.record;
  return { hook, name: entry.name, part: entry.part, frequency, phase };
}
