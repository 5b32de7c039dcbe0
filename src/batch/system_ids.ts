/**
 * Ids of systems. An id is unique in a batch and does not change.
 *
 * @module
 */

import { BUILT_IN } from "./fields/fields.ts";
import { sizeOf, type Store } from "./store.ts";

/**
 * Makes the ids of a store unique. The first system with an id keeps it. Systems with a repeated id, and systems
 * without an id, get ids that no system of the batch has ever had.
 *
 * @param next smallest id that no system has ever had
 * @param keepers slots of the systems that were in the batch before and keep their ids in any case
 * @returns the new smallest id that no system has ever had
 */
export function giveIds(store: Store, next: number, keepers: ReadonlySet<number>): number {
  const size = sizeOf(store);
  const given = store.fields.get("systemId")?.values;
  const ids = new Int32Array(size).fill(-1);
  const used = new Set<number>();
  const claim = (system: number) => {
    const id = given?.[system] ?? -1;
    if (id < 0 || used.has(id)) return;
    used.add(id);
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
 * Returns 1 more than the largest id in a list.
 *
 * @throws {RangeError} if an id is negative or repeated
 */
export function afterIds(ids: ArrayLike<number>): number {
  let largest = -1;
  const seen = new Set<number>();
  for (let system = 0; system < ids.length; system++) {
    const id = ids[system]!;
    if (id < 0 || seen.has(id)) {
      throw new RangeError(
        `Cannot set "systemId": ids must be unique and 0 or more; got ${id} for system ${system}`,
      );
    }
    seen.add(id);
    largest = Math.max(largest, id);
  }
  return largest + 1;
}
