/**
 * Saves and restores the state of hooks in a checkpoint.
 *
 * @module
 */

import { isCount } from "../../base/check_number.ts";
import type { Entry } from "./stage_handler.ts";
import { isObject } from "../../base/object.ts";
import { show } from "../../base/show.ts";

/** The state of all hooks by name, as plain data. */
export type SavedHookStates = Readonly<Record<string, SavedHook>>;

/** The state of a {@linkcode Loop} in a checkpoint. */
export interface SavedLoop {
  /** Number of steps done. */
  readonly stepCount: number;
  /** Values of the counters other than `"step"`, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** State of the hooks, by name. */
  readonly hooks: SavedHookStates;
}

/** The state of one hook in a checkpoint. */
export interface SavedHook {
  /** True if the hook was enabled. */
  readonly enabled: boolean;
  /** The count of the last firing at each stage, by stage. Stages at which the hook never fired are left out. */
  readonly fired: Readonly<Record<string, number>>;
  /** The number of events at which the schedule was checked, by event stage. */
  readonly events: Readonly<Record<string, number>>;
  /** The result of the hook's own `save`; missing if that is undefined. */
  readonly state?: unknown;
}

/** Hooks that checkpoints leave out. */
const LEFT_OUT = new WeakSet<object>();

/**
 * Leaves a hook out of checkpoints. It is for hooks that only show a run to its user: a checkpoint then has the same
 * content without them, and a run that resumes without them does not warn.
 */
export function leaveOutOfCheckpoints<H extends object>(hook: H): H {
  LEFT_OUT.add(hook);
  return hook;
}

/** Returns the state of the hooks by name, for a checkpoint. */
export function saveEntries(entries: readonly Entry[]): SavedHookStates {
  const saved = entries.filter(({ record: { hook } }) => !LEFT_OUT.has(hook));
  return Object.fromEntries(saved.map(({ path: name, enabled, handlers, record: { hook } }) => {
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
 * Restores the state of hooks from a checkpoint. Returns an error for each saved name that no hook has.
 *
 * @throws {TypeError} if `saved` is not a result of `save`; no hook has been changed then
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

/**
 * Returns whether a hook was enabled in the checkpoint. For a hook without saved state, returns whether it is enabled
 * now.
 */
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
 * Checks that a value is a saved state of a loop and has no counters other than `counters`.
 *
 * @throws {TypeError} if `saved` is not a result of `save`, or has another counter
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
