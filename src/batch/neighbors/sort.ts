/**
 * Sorting of pairs. The sorted order does not depend on the order in which a search finds the pairs.
 *
 * @module
 */

import type { SystemPairs } from "../../kernels/pairs/pair_list.ts";
import type { Room } from "./room.ts";

/** Buffers for the sorted pairs, as described in {@linkcode Candidates}. */
interface Sorted {
  readonly starts: Room;
  readonly others: Room;
  readonly shifts: Room;
}

/**
 * Sorts the found pairs by first atom, second atom and shift, and writes them to `to`. Each pair is listed in both
 * directions, or only as it was found if `half` is true.
 *
 * The sort relies on `findPairs`, which lists pairs of the same two atoms by increasing shift. The reversed pairs, in
 * reverse order, have increasing shifts, too. The reversed pairs of an atom with its own images come first. Two
 * stable sorts, by second atom and then by first atom, therefore keep the shifts in increasing order.
 */
export function sortCandidates(
  to: Sorted,
  atoms: number,
  found: SystemPairs,
  half: boolean,
): void {
  const { count } = found;
  const turned = half ? 0 : count;
  const total = turned + count;
  const [firsts, seconds] = [new Int32Array(total), new Int32Array(total)];
  for (let t = 0; t < total; t++) {
    const p = t < turned ? turned - 1 - t : t - turned;
    firsts[t] = t < turned ? found.j[p]! : found.i[p]!;
    seconds[t] = t < turned ? found.i[p]! : found.j[p]!;
  }
  const starts = to.starts.take(atoms + 1);
  const bySecond = sortBy(seconds, Int32Array.from(firsts.keys()), starts);
  const order = sortBy(firsts, bySecond, starts);
  const others = to.others.take(total), shifts = to.shifts.take(3 * total);
  for (let at = 0; at < total; at++) {
    const t = order[at]!;
    const p = t < turned ? turned - 1 - t : t - turned;
    others[at] = seconds[t]!;
    for (let k = 0; k < 3; k++) {
      const shift = found.shifts[3 * p + k]!;
      shifts[3 * at + k] = t < turned ? -shift : shift;
    }
  }
}

/**
 * Returns the numbers in `order`, stably sorted by `keys[number]`. Writes the index of the first element of each key to
 * `starts`, followed by their number.
 */
function sortBy(keys: Int32Array, order: Int32Array, starts: Int32Array): Int32Array {
  starts.fill(0);
  for (const key of keys) starts[key + 1]! += 1;
  for (let key = 1; key < starts.length; key++) starts[key]! += starts[key - 1]!;
  const next = starts.slice();
  const sorted = new Int32Array(order.length);
  for (const t of order) sorted[next[keys[t]!]!++] = t;
  return sorted;
}
