/**
 * The names of hooks, and their order: by band, within a band by registration, adjusted by `before` and `after`.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { StageInfo } from "../protocol/stage.ts";
import type { Band } from "./add_options.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** All bands, in the order of execution. */
export const BANDS: readonly Band[] = ["first", "normal", "last"];

/**
 * Sorts hooks by band, within a band by the given order, and then moves them to satisfy `before` and `after`.
 *
 * @throws {RangeError} if `before` and `after` form a cycle; the message names the hooks in it
 */
export function sortEntries(entries: readonly Entry[]): Entry[] {
  const bands: Record<Band, Entry[]> = { first: [], normal: [], last: [] };
  for (const entry of entries) bands[entry.order].push(entry);
  const inBands = BANDS.flatMap((band) => bands[band]);
  // The common case is fast: most hooks have neither `before` nor `after`, and every registration sorts all hooks.
  if (entries.every(isUnordered)) return inBands;
  const list = pullForward(inBands), { waiting, followers } = constraintsOf(list);
  const sorted: Entry[] = [], isDone = new Uint8Array(list.length);
  for (let at = 0; at < list.length;) {
    if (isDone[at] === 1 || waiting[at]! > 0) {
      at++;
      continue;
    }
    isDone[at] = 1;
    sorted.push(list[at]!);
    // The next entry is the first one in the list that waits for no other; it may stand before this one.
    let next = at + 1;
    for (const follower of followers[at]!) {
      if (--waiting[follower]! === 0) next = Math.min(next, follower);
    }
    at = next;
  }
  if (sorted.length < list.length) throw cycle(list.filter((_, i) => isDone[i] === 0));
  return sorted;
}

function isUnordered({ before, after }: Entry): boolean {
  return before.length === 0 && after.length === 0;
}

/**
 * Translates `before` and `after` to indices in the list. `waiting` is the number of entries that must precede each
 * entry, `followers` the indices of the entries that must follow it.
 */
function constraintsOf(
  list: readonly Entry[],
): { readonly waiting: number[]; readonly followers: Set<number>[] } {
  const places = new Map(list.map(({ name }, place) => [name, place]));
  const waiting = list.map(() => 0), followers = list.map(() => new Set<number>());
  const mustFollow = (first: number | undefined, second: number | undefined) => {
    if (first === undefined || second === undefined || followers[first]!.has(second)) return;
    followers[first]!.add(second);
    waiting[second]!++;
  };
  for (const [place, { before, after }] of list.entries()) {
    for (const name of before) mustFollow(place, places.get(name));
    for (const name of after) mustFollow(places.get(name), place);
  }
  return { waiting, followers };
}

/**
 * Moves each entry that stands behind an entry named in its `before` to directly in front of it. The entry with the
 * option moves, and the named entry keeps its position.
 */
function pullForward(entries: readonly Entry[]): Entry[] {
  const list = [...entries];
  for (const entry of entries) {
    if (entry.before.length === 0) continue;
    const to = list.findIndex((other) => entry.before.includes(other.name));
    const from = list.indexOf(entry);
    if (to !== -1 && to < from) list.splice(to, 0, ...list.splice(from, 1));
  }
  return list;
}

function mustPrecede(a: Entry, b: Entry): boolean {
  return a.before.includes(b.name) || b.after.includes(a.name);
}

function cycle(entries: readonly Entry[]): RangeError {
  // Each of these entries has a predecessor among them, so following predecessors must lead into a cycle.
  const path = [entries[0]!];
  for (;;) {
    const previous = entries.find((other) => other !== path[0] && mustPrecede(other, path[0]!))!;
    const seen = path.indexOf(previous);
    path.unshift(previous);
    if (seen !== -1) {
      const names = path.slice(0, seen + 2).map((entry) => entry.name);
      return new RangeError(
        `Cannot order hooks: before and after must not form a cycle; got ${names.join(" → ")}`,
      );
    }
  }
}

/**
 * Returns the handlers of sorted hooks at one stage. Modifiers come first, so that every observer sees the state
 * after all changes.
 *
 * @throws {RangeError} if `before` or `after` would put an observer before a modifier
 */
export function handlersAt(entries: readonly Entry[], info: StageInfo): StageHandler[] {
  const modifiers: StageHandler[] = [], others: StageHandler[] = [];
  for (const { handlers } of entries) {
    for (const handler of handlers) {
      if (handler.info === info) (handler.isModifier ? modifiers : others).push(handler);
    }
  }
  if (modifiers.length > 0 && !entries.every(isUnordered)) checkModifiers(modifiers, others);
  return [...modifiers, ...others];
}

function checkModifiers(
  modifiers: readonly StageHandler[],
  others: readonly StageHandler[],
): void {
  for (const modifier of modifiers) {
    const early = others.find(({ entry }) => mustPrecede(entry, modifier.entry));
    if (early === undefined) continue;
    throw new RangeError(
      `Cannot order hooks: ${modifier.entry.name} changes state at ${modifier.info.stage}, so it runs before ` +
        `observers, but ${early.entry.name} is ordered before it. Remove that order`,
    );
  }
}

/**
 * Checks that `before` and `after` are compatible at each stage with modifiers running before observers.
 *
 * @throws {RangeError} if `before` or `after` puts an observer before a modifier
 */
export function checkOrder(entries: readonly Entry[], infos: Iterable<StageInfo>): void {
  if (entries.every(isUnordered)) return;
  for (const info of infos) handlersAt(entries, info);
}

/**
 * Returns an error for each name in `before` and `after` that no hook has. Such a name is probably misspelled, and
 * would have no effect.
 */
export function unknownNames(
  entries: readonly Entry[],
): { readonly entry: Entry; readonly error: RangeError }[] {
  const names = entries.map((entry) => entry.name);
  return entries.flatMap((entry) =>
    [...entry.before, ...entry.after].filter((name) => !names.includes(name)).map((name) => ({
      entry,
      error: new RangeError(
        `Cannot order hook ${entry.name} by ${JSON.stringify(name)}: no hook has that name. ` +
          `The hooks are ${names.join(", ")}${didYouMean(name, names)}`,
      ),
    }))
  );
}

/**
 * The names of the hooks in a registry. It remembers the next number for each label, because 2,000 hooks of one class
 * would otherwise cost two million lookups.
 */
export class HookNames {
  readonly #taken = new Set<string>();
  /** Map from a label to the smallest number that may still be free for it. */
  readonly #from = new Map<string, number>();

  /** Returns whether a hook has the name. */
  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Adds the name of a hook. */
  add(name: string): void {
    this.#taken.add(name);
  }

  /** Removes the name of a hook, so that `free` can return it again. */
  delete(name: string): void {
    this.#taken.delete(name);
    this.#from.clear();
  }

  /** Returns the first free name for a label: the label itself, or else `label-2`, `label-3` and so on. */
  free(label: string): string {
    if (!this.has(label)) return label;
    for (let n = this.#from.get(label) ?? 2;; n++) {
      const name = `${label}-${n}`;
      if (this.has(name)) continue;
      this.#from.set(label, n);
      return name;
    }
  }
}
