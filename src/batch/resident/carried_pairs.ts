/**
 * Pairs and fields of systems that move from one batch to another.
 *
 * @module
 */

import type { SavedPairs } from "../../backend/backend.ts";
import type { Batch } from "../batch.ts";
import type { FieldInfo } from "../fields/fields.ts";

/**
 * Converts saved pairs for a batch of other systems. `from` has the slot of each system in the
 * previous batch, or `undefined` if it was not there. `offsets` are those of the previous batch.
 */
export function carriedPairs(
  saved: SavedPairs,
  offsets: Int32Array,
  from: readonly (number | undefined)[],
): SavedPairs {
  const starts = startsOf(saved, offsets);
  const isFound = (old: number | undefined): old is number =>
    old !== undefined && saved.builds[old]! > 0;
  const found = from.filter(isFound);
  const all = found.reduce((sum, old) => sum + 3 * (offsets[old + 1]! - offsets[old]!), 0);
  const reference = new Float64Array(all), images = new Int32Array(all);
  let at = 0;
  for (const old of found) {
    const first = starts[old]!, end = first + 3 * (offsets[old + 1]! - offsets[old]!);
    reference.set(saved.reference.subarray(first, end), at);
    images.set(saved.images.subarray(first, end), at);
    at += end - first;
  }
  const cells = new Float64Array(9 * from.length), builds = new Int32Array(from.length);
  for (const [place, old] of from.entries()) {
    if (!isFound(old)) continue;
    cells.set(saved.cells.subarray(9 * old, 9 * old + 9), 9 * place);
    builds[place] = saved.builds[old]!;
  }
  return { reference, images, cells, builds };
}

/** Returns the first row of each system. Systems whose pairs were never found have no rows. */
function startsOf({ builds }: SavedPairs, offsets: Int32Array): Int32Array {
  const starts = new Int32Array(builds.length);
  let length = 0;
  for (const [system, count] of builds.entries()) {
    starts[system] = length;
    if (count > 0) length += 3 * (offsets[system + 1]! - offsets[system]!);
  }
  return starts;
}

/**
 * Returns whether systems have the same values of a field as the systems in some slots of a batch.
 */
export function hasSameRows(
  { name, level, width }: FieldInfo,
  [batch, systems]: readonly [Batch, Batch],
  places: readonly number[],
): boolean {
  if (!systems.has(name)) return false;
  const [old, more] = [batch.get(name), systems.get(name)];
  const startOf = (of: Batch, place: number) =>
    width *
    (level === "system" ? place : (level === "node" ? of.nodeOffsets : of.edgeOffsets)[place]!);
  return places.every((place, i) => {
    const [from, to] = [startOf(batch, place), startOf(batch, place + 1)];
    const at = startOf(systems, i);
    for (let k = from; k < to; k++) if (!Object.is(old[k], more[at + k - from])) return false;
    return true;
  });
}
