/**
 * State of the hooks in a checkpoint, by name.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import type { Entry } from "./stage_handler.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";

/** State of all hooks by name: plain data. */
export type SavedHookStates = Readonly<Record<string, SavedHook>>;

/** State of a {@linkcode Loop} in a checkpoint. */
export interface SavedLoop {
  /** Steps done. */
  readonly stepCount: number;
  /** The other counters. */
  readonly counts: Readonly<Record<string, number>>;
  /** State of the hooks. */
  readonly hooks: SavedHookStates;
}

/** State of one hook. */
export interface SavedHook {
  /** True if it runs. */
  readonly enabled: boolean;
  /** Stage → the count at which it last fired, if it has. */
  readonly fired: Readonly<Record<string, number>>;
  /** Event stage → the number of events of which its schedule was asked. */
  readonly events: Readonly<Record<string, number>>;
  /** The result of its own `save`, if it has one. */
  readonly state?: unknown;
}

/** Returns the state of hooks. */
export function saveEntries(entries: readonly Entry[]): SavedHookStates {
  return Object.fromEntries(entries.map(({ path: name, enabled, handlers, record: { hook } }) => {
    const fired = handlers.filter(({ schedule }) => schedule.last >= 0);
    const asked = handlers.filter(({ events }) => events > 0);
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
 * Restores the state of hooks. Returns an error for each saved name that no hook has.
 *
 * @throws {TypeError} if `saved` is not a result of `save`; no hook has changed then
 */
export function restoreEntries(
  entries: readonly Entry[],
  saved: SavedHookStates,
): { readonly name: string; readonly error: RangeError }[] {
  assertSaved(saved);
  for (const { path: name, handlers, record: { hook } } of entries) {
    const own = Object.hasOwn(saved, name) ? saved[name] : undefined;
    for (const handler of handlers) {
      handler.schedule.last = own?.fired[handler.info.stage] ?? -1;
      handler.events = own?.events[handler.info.stage] ?? 0;
    }
    if (own !== undefined && "state" in own) hook.load?.(own.state);
  }
  const unknown = Object.keys(saved).filter((name) => !entries.some(({ path }) => path === name));
  return unknown.map((name) => ({
    name,
    error: new RangeError(
      `Cannot restore hook ${name}: no hook has that name, so its saved state is ignored`,
    ),
  }));
}

/** Returns whether a hook was enabled when it was saved; if it was not saved, whether it is now. */
export function wasEnabled(saved: SavedHookStates, { path, enabled }: Entry): boolean {
  return Object.hasOwn(saved, path) ? saved[path]!.enabled : enabled;
}

function assertSaved(saved: unknown): asserts saved is SavedHookStates {
  if (isSavedHooks(saved)) return;
  throw new TypeError(
    `Cannot restore hooks: the state must be a result of save(); got ${show(saved)}`,
  );
}

function isSavedHooks(saved: unknown): boolean {
  return isObject(saved) &&
    Object.values(saved).every((hook) =>
      isObject(hook) && typeof hook.enabled === "boolean" &&
      isCounts(hook.fired) && isCounts(hook.events)
    );
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isObject(value) && Object.values(value).every(isCount);
}

/**
 * Checks the saved state of a loop with these counters.
 *
 * @throws {TypeError} if it is not a result of `save`
 */
export function assertSavedLoop(
  saved: unknown,
  counters: ReadonlySet<string>,
): asserts saved is SavedLoop {
  const isSaved = isObject(saved) && isCount(saved.stepCount) && isSavedHooks(saved.hooks) &&
    isCounts(saved.counts) && Object.keys(saved.counts).every((counter) => counters.has(counter));
  if (isSaved) return;
  throw new TypeError(
    `Cannot load into a loop: the state must be a result of save(); got ${show(saved)}`,
  );
}
