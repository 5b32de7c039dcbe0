/**
 * The order of hooks: bands, then registration, then what `before` and `after` ask for.
 *
 * @module
 */

import { BANDS, type Entry, type Place } from "./entry.ts";
import { didYouMean } from "../../base/did_you_mean.ts";
import type { StageInfo } from "../protocol/stage.ts";

/** Sorts entries. Throws a RangeError that names the hooks of a cycle. */
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

/** Moves what asks to run before something there, so that it is the one that asks which moves. */
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
  // Every entry left has a predecessor among them: going back from any one must come round.
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
 * The places of one stage, of entries in order: modifiers first, so that every observer sees the state they leave.
 * Throws when `before` or `after` asks for the opposite.
 */
export function placesAt(entries: readonly Entry[], info: StageInfo): Place[] {
  const places = entries.flatMap((entry) => entry.places.filter((place) => place.info === info));
  const modifiers = places.filter((place) => place.isModifier);
  const others = places.filter((place) => !place.isModifier);
  for (const modifier of modifiers) {
    const early = others.find((place) => mustPrecede(place.entry, modifier.entry));
    if (early === undefined) continue;
    throw new RangeError(
      `Cannot order hooks as ${modifier.entry.name} changes state at ${modifier.info.stage} and must run before its ` +
        `observers: ${early.entry.name} asks to run before it`,
    );
  }
  return [...modifiers, ...others];
}

/** The names in `before` and `after` that no hook has, as errors: a misspelt one would order nothing. */
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
