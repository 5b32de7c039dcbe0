/**
 * Transfer of neighbor pairs and fields when systems move from one batch to another.
 *
 * @module
 */

import type { SavedPairs } from "../../backend/backend.ts";
import type { Batch } from "../batch.ts";
import type { FieldInfo } from "../fields/fields.ts";

/**
 * Converts the saved pairs of the previous batch for the next batch. `offsets` are the node offsets of the previous
 * batch. `from` has the slot in the previous batch for each system of the next one, or `undefined` for a new system.
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

/**
 * Returns the index of the first number of each system in `reference` and `images`. A system whose pairs were never
 * found has no numbers there.
 */
function startsOf({ builds }: SavedPairs, offsets: Int32Array): Int32Array {
  const starts = new Int32Array(builds.length);
  let length = 0;
  for (const [system, count] of builds.entries()) {
    starts[system] = length;
    if (count > 0) length += 3 * (offsets[system + 1]! - offsets[system]!);
  }
  return starts;
}

/** Returns whether new systems have the same values of a field as the systems in the slots `places` of a batch. */
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
