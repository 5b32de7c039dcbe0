/**
 * The numbers of systems: each its own, kept for life.
 *
 * @module
 */

import { BUILT_IN } from "./fields/fields.ts";
import { sizeOf, type Store } from "./store.ts";

/**
 * Makes the ids of a store unique: the first system with an id keeps it, later ones with the same and those without
 * get numbers that no system of the batch ever had.
 *
 * @param next the least number that no system ever had
 * @param keepers how many systems at the start were in the batch before: their ids stay whatever comes
 * @returns the least number that no system ever had, now
 */
export function giveIds(store: Store, next: number, keepers: ReadonlySet<number>): number {
  const size = sizeOf(store);
  const given = store.fields.get("systemId")?.values;
  const ids = new Int32Array(size).fill(-1);
  const taken = new Set<number>();
  const claim = (system: number) => {
    const id = given?.[system] ?? -1;
    if (id < 0 || taken.has(id)) return;
    taken.add(id);
    ids[system] = id;
    next = Math.max(next, id + 1);
  };
  for (const system of keepers) claim(system);
  for (let system = 0; system < size; system++) if (!keepers.has(system)) claim(system);
  for (let system = 0; system < size; system++) if (ids[system] === -1) ids[system] = next++;
  store.fields.set("systemId", { info: BUILT_IN.get("systemId")!, values: ids });
  return next;
}

/**
 * The least id above those of a list.
 *
 * @throws {RangeError} for ids that are not each system's own
 */
export function afterIds(ids: ArrayLike<number>): number {
  let largest = -1;
  const seen = new Set<number>();
  for (let system = 0; system < ids.length; system++) {
    const id = ids[system]!;
    if (id < 0 || seen.has(id)) {
      throw new RangeError(
        `Cannot set "systemId" as each system must have an id of its own, 0 or more: current id of system ${system} is ${id}`,
      );
    }
    seen.add(id);
    largest = Math.max(largest, id);
  }
  return largest + 1;
}
