/**
 * The order of hooks: by band, then by registration, then by `before` and `after`.
 *
 * @module
 */

import { didYouMean } from "../../base/did_you_mean.ts";
import type { StageInfo } from "../protocol/stage.ts";
import type { Band } from "./add_options.ts";
import type { Entry, StageHandler } from "./stage_handler.ts";

/** The bands, in order. */
export const BANDS: readonly Band[] = ["first", "normal", "last"];

/**
 * Sorts entries.
 *
 * @throws {RangeError} if `before` and `after` form a cycle; the message names its hooks
 */
export function sortEntries(entries: readonly Entry[]): Entry[] {
  const left = pullForward(
    entries.toSorted((a, b) => BANDS.indexOf(a.order) - BANDS.indexOf(b.order)),
  ); // stable
  const sorted: Entry[] = [];
  while (left.length > 0) {
    const next = left.findIndex((entry) =>
      !left.some((other) => other !== entry && mustPrecede(other, entry))
    );
    if (next === -1) throw cycle(left);
    sorted.push(...left.splice(next, 1));
  }
  return sorted;
}

/** Moves each entry with `before` in front of the entry that it names, so that the one that asks is the one that moves. */
function pullForward(entries: readonly Entry[]): Entry[] {
  const list = [...entries];
  for (const entry of entries) {
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
  // Each entry left has a predecessor among them, so following predecessors must lead into a cycle.
  const path = [entries[0]!];
  for (;;) {
    const previous = entries.find((other) => other !== path[0] && mustPrecede(other, path[0]!))!;
    const seen = path.indexOf(previous);
    path.unshift(previous);
    if (seen !== -1) {
      const names = path.slice(0, seen + 2).map((entry) => entry.name);
      return new RangeError(
        `Cannot order hooks as before and after must not form a cycle: ${names.join(" → ")}`,
      );
    }
  }
}

/**
 * Returns the handlers of one stage, of sorted entries: modifiers first, so that every observer sees the state that
 * they leave.
 *
 * @throws {RangeError} if `before` or `after` asks for the opposite
 */
export function handlersAt(entries: readonly Entry[], info: StageInfo): StageHandler[] {
  const handlers = entries.flatMap((entry) =>
    entry.handlers.filter((handler) => handler.info === info)
  );
  const modifiers = handlers.filter(({ isModifier }) => isModifier);
  const others = handlers.filter(({ isModifier }) => !isModifier);
  for (const modifier of modifiers) {
    const early = others.find(({ entry }) => mustPrecede(entry, modifier.entry));
    if (early === undefined) continue;
    throw new RangeError(
      `Cannot order hooks as ${modifier.entry.name} changes state at ${modifier.info.stage} and must run before its ` +
        `observers: ${early.entry.name} asks to run before it`,
    );
  }
  return [...modifiers, ...others];
}

/** Returns an error for each name in `before` and `after` that no hook has: a misspelled one would order nothing. */
export function unknownNames(
  entries: readonly Entry[],
): { readonly entry: Entry; readonly error: RangeError }[] {
  const names = entries.map((entry) => entry.name);
  return entries.flatMap((entry) =>
    [...entry.before, ...entry.after].filter((name) => !names.includes(name)).map((name) => ({
      entry,
      error: new RangeError(
        `Cannot order hook ${entry.name} by ${JSON.stringify(name)} as no hook has that name: ` +
          `the hooks are ${names.join(", ")}${didYouMean(name, names)}`,
      ),
    }))
  );
}
