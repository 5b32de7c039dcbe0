/**
 * What a checkpoint keeps of the hooks, by name.
 *
 * @module
 */

import type { Entry } from "./entry.ts";

/** The hooks' part of a checkpoint: plain data. */
export interface SavedHooks {
  /** Name → what is kept of that hook. */
  readonly hooks: Readonly<Record<string, SavedHook>>;
  /** Event stage → how many events there were. */
  readonly events: Readonly<Record<string, number>>;
}

/** What is kept of one hook. */
export interface SavedHook {
  /** Whether it runs. */
  readonly enabled: boolean;
  /** Stage → the count at which it last fired, where it has. */
  readonly fired: Readonly<Record<string, number>>;
  /** What its own `save` gave, if it has one. */
  readonly state?: unknown;
}

/** Reads the state of hooks. */
export function saveEntries(entries: readonly Entry[]): SavedHooks["hooks"] {
  return Object.fromEntries(entries.map(({ name, enabled, places, record: { hook } }) => {
    const fired = places.filter(({ schedule }) => schedule.last >= 0).map((
      { info, schedule },
    ) => [info.stage, schedule.last]);
    const saved = { enabled, fired: Object.fromEntries(fired) };
    return [name, typeof hook.save === "function" ? { ...saved, state: hook.save() } : saved];
  }));
}

/** Gives hooks their state back; answers with the names that no hook has. Throws a TypeError for what is no saved state. */
export function restoreEntries(entries: readonly Entry[], saved: SavedHooks["hooks"]): string[] {
  if (typeof saved !== "object" || saved === null) {
    throw new TypeError(
      `Cannot restore hooks as their saved state must be an object: current value is ${
        String(saved)
      }`,
    );
  }
  for (const { name, places, record: { hook } } of entries) {
    const own = saved[name];
    if (own === undefined) continue;
    for (const { info, schedule } of places) schedule.last = own.fired[info.stage] ?? -1;
    if ("state" in own) hook.load?.(own.state);
  }
  return Object.keys(saved).filter((name) => !entries.some((entry) => entry.name === name));
}
