/**
 * What a checkpoint keeps of the hooks, by name.
 *
 * @module
 */

import type { Entry } from "./entry.ts";
import { isObject } from "../protocol/shape.ts";
import { show } from "../../base/show.ts";

/** The hooks' part of a checkpoint, by name: plain data. */
export type SavedHooks = Readonly<Record<string, SavedHook>>;

/** What a checkpoint keeps of a {@linkcode Loop}. */
export interface SavedLoop {
  /** Steps done. */
  readonly stepCount: number;
  /** The other counters. */
  readonly counts: Readonly<Record<string, number>>;
  /** The hooks' part. */
  readonly hooks: SavedHooks;
}

/** What is kept of one hook. */
export interface SavedHook {
  /** Whether it runs. */
  readonly enabled: boolean;
  /** Stage → the count at which it last fired, where it has. */
  readonly fired: Readonly<Record<string, number>>;
  /** Event stage → how many events it was asked about. */
  readonly events: Readonly<Record<string, number>>;
  /** What its own `save` gave, if it has one. */
  readonly state?: unknown;
}

/** Reads the state of hooks. */
export function saveEntries(entries: readonly Entry[]): SavedHooks {
  return Object.fromEntries(entries.map(({ path: name, enabled, places, record: { hook } }) => {
    const fired = places.filter(({ schedule }) => schedule.last >= 0);
    const asked = places.filter(({ events }) => events > 0);
    const saved: SavedHook = {
      enabled,
      fired: Object.fromEntries(fired.map(({ info, schedule }) => [info.stage, schedule.last])),
      events: Object.fromEntries(asked.map(({ info, events }) => [info.stage, events])),
    };
    const state = hook.save?.();
    return [name, state === undefined ? saved : { ...saved, state }];
  }));
}

/**
 * Gives hooks their state back; answers with the names that no hook has. Throws a TypeError for what is no saved
 * state, before any hook has got something.
 */
export function restoreEntries(entries: readonly Entry[], saved: SavedHooks): string[] {
  assertSaved(saved);
  for (const { path: name, places, record: { hook } } of entries) {
    const own = Object.hasOwn(saved, name) ? saved[name] : undefined;
    for (const place of places) {
      place.schedule.last = own?.fired[place.info.stage] ?? -1;
      place.events = own?.events[place.info.stage] ?? 0;
    }
    if (own !== undefined && "state" in own) hook.load?.(own.state);
  }
  return Object.keys(saved).filter((name) => !entries.some(({ path }) => path === name));
}

function assertSaved(saved: unknown): asserts saved is SavedHooks {
  if (isSavedHooks(saved)) return;
  throw new TypeError(
    `Cannot restore hooks as their saved state must be what save() gave: current value is ${
      show(saved)
    }`,
  );
}

function isSavedHooks(saved: unknown): boolean {
  return isObject(saved) &&
    Object.values(saved).every((hook) =>
      isObject(hook) && typeof hook.enabled === "boolean" &&
      isCounts(hook.fired) && isCounts(hook.events)
    );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isObject(value) && Object.values(value).every(isCount);
}

/** Throws a TypeError for what is no saved loop with these counters, or whose hooks are not saved ones. */
export function assertSavedLoop(
  saved: unknown,
  counters: ReadonlySet<string>,
): asserts saved is SavedLoop {
  const isSaved = isObject(saved) && isCount(saved.stepCount) && isSavedHooks(saved.hooks) &&
    isCounts(saved.counts) && Object.keys(saved.counts).every((counter) => counters.has(counter));
  if (isSaved) return;
  throw new TypeError(
    `Cannot load into a loop as its saved state must be what save() gave: current value is ${
      show(saved)
    }`,
  );
}
