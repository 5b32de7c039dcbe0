/**
 * Systems in the places of others, in the same arrays.
 *
 * @module
 */

import { fillOf, rowsOf, type Store } from "../store.ts";

/** Writes systems over those at some places of a store, which are as large. What they do not have gets its fill value. */
export function overwriteRows(store: Store, more: Store, places: readonly number[]): void {
  const infos = store.infos as Store["infos"][number][];
  for (const [i, place] of places.entries()) infos[place] = more.infos[i]!;
  for (const { info, values } of store.fields.values()) {
    const given = more.fields.get(info.name);
    for (const [i, place] of places.entries()) {
      const [from, to] = [rowsOf(info, store, place), rowsOf(info, store, place + 1)];
      if (given === undefined) {
        if (to > from) {
          values.fill(fillOf(info, () => `system ${i}`), from * info.width, to * info.width);
        }
        continue;
      }
      const [first, end] = [rowsOf(info, more, i), rowsOf(info, more, i + 1)];
      values.set(given.values.subarray(first * info.width, end * info.width), from * info.width);
    }
  }
}
