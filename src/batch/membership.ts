/**
 * Adding, removing and replacing the systems of a batch.
 *
 * @module
 */

import { type BatchState, inBatch, replaceStore, wholeStore } from "./batch_state.ts";
import type { NumericArray } from "./fields/fields.ts";
import { readSystem } from "./read_system.ts";
import { checkStore } from "./saved/check_store.ts";
import { placesOf, type Selection } from "./selection.ts";
import { show } from "../base/show.ts";
import { allOf, assemble, fillOf, type Pick, rowsOf, sizeOf, type Store } from "./store.ts";
import { storeOf, System } from "./system.ts";
import { afterIds } from "./system_ids.ts";
import type { SystemInput } from "./system_input.ts";

/** Converts a list of systems, or of inputs of `new System`, to picks. Throws as `Batch.from` does. */
export function picksOfList(systems: Iterable<System | SystemInput>, action: string): Pick[] {
  if (typeof systems !== "object" || systems === null || !(Symbol.iterator in systems)) {
    throw new TypeError(
      `Cannot ${action}: the systems must be an iterable, such as an array; got ${show(systems)}`,
    );
  }
  return Array.from(systems, (system, i) => {
    const store = system instanceof System
      ? storeOf(system)
      : readSystem(system, `${action} (system ${i})`);
    return { store, index: 0 };
  });
}

/**
 * Creates a store of all picked systems. If `isData` is true, numbers may be NaN or infinite.
 *
 * @throws {RangeError} if there is no system, or a value is impossible
 */
export function storeOfAll(
  picks: readonly Pick[],
  action: string,
  isData: boolean = false,
): Store {
  if (picks.length === 0) {
    throw new RangeError(`Cannot ${action}: at least one system is required; got 0`);
  }
  const store = assemble(picks, inList);
  checkStore(store, action, inBatch(store), { isData });
  return store;
}

/** Creates a store of the systems in some slots of another store. */
export function storeAt(store: Store, places: readonly number[]): Store {
  return assemble(places.map((index) => ({ store, index })), inList);
}

/**
 * Creates a store of the selected systems.
 *
 * @throws {RangeError} if no system is selected
 */
export function selectedStore(store: Store, selection: Selection, action: string): Store {
  const places = placesOf(selection, sizeOf(store), action);
  if (places.length === 0) throw emptyError(action);
  return storeAt(store, places);
}

/** Adds systems at the end of a batch, and returns their ids. Throws as `Batch.append` does. */
export function appendSystems(
  state: BatchState,
  picksFor: (action: string) => readonly Pick[],
): number[] {
  const action = "append systems";
  const own = allOf(wholeStore(state, action)), more = picksFor(action);
  const nameOf = (pick: number) =>
    pick < own.length ? inList(pick) : `new system ${pick - own.length}`;
  const store = assemble([...own, ...more], nameOf, state.store);
  replaceStore(state, store, action, own.map((_, place) => place));
  return Array.from(idsOf(state).subarray(own.length));
}

/** Removes systems from a batch. Throws as `Batch.drop` does. */
export function dropSystems(state: BatchState, selection: Selection): void {
  const action = "drop systems";
  const own = allOf(wholeStore(state, action));
  const gone = new Set(placesOf(selection, own.length, action));
  const rest = own.filter((_, place) => !gone.has(place));
  if (rest.length === 0) throw emptyError(action);
  if (gone.size > 0) replaceStore(state, assemble(rest, inList), action);
}

/** Replaces systems of a batch, and returns the ids of the new systems. Throws as `Batch.put` does. */
export function putSystems(
  state: BatchState,
  picksFor: (action: string) => readonly Pick[],
  at: Selection,
): number[] {
  const action = "put systems";
  const all = allOf(wholeStore(state, action));
  const places = placesOf(at, all.length, action);
  const more = picksFor(action), gone = new Set(places);
  if (more.length !== places.length || gone.size !== places.length) {
    throw new RangeError(
      `Cannot ${action}: ${more.length} different slots are required, one for each new system; got ${
        show(places)
      }`,
    );
  }
  for (const [i, place] of places.entries()) all[place] = more[i]!;
  const keepers = all.flatMap((_, place) => gone.has(place) ? [] : [place]);
  if (places.length > 0) replaceStore(state, assemble(all, inList, state.store), action, keepers);
  return places.map((place) => idsOf(state)[place]!);
}

/**
 * Overwrites the systems in some slots in the existing arrays. Each new system must have as many atoms and edges as
 * the one that it replaces. Fields that only the batch has get their fill values in the new systems; the new systems
 * must not have other fields.
 */
export function overwriteSystems(
  state: BatchState,
  more: BatchState,
  places: readonly number[],
): void {
  const action = "put systems";
  const store = wholeStore(state, action), given = wholeStore(more, action);
  const infos = store.infos as Store["infos"][number][];
  for (const [i, place] of places.entries()) infos[place] = given.infos[i]!;
  for (const name of store.fields.keys()) overwriteRows(name, store, given, places);
  state.nextId = Math.max(state.nextId, afterIds(idsIn(given)));
}

function overwriteRows(
  name: string,
  store: Store,
  more: Store,
  places: readonly number[],
): void {
  const { info, values } = store.fields.get(name)!, given = more.fields.get(name);
  for (const [i, place] of places.entries()) {
    const from = rowsOf(info, store, place) * info.width;
    const to = rowsOf(info, store, place + 1) * info.width;
    if (given !== undefined) {
      const first = rowsOf(info, more, i) * info.width;
      const end = rowsOf(info, more, i + 1) * info.width;
      values.set(given.values.subarray(first, end), from);
    } else if (to > from) values.fill(fillOf(info, () => `system ${i}`), from, to);
  }
}

function inList(pick: number): string {
  return `system ${pick}`;
}

function idsOf({ store }: BatchState): Int32Array {
  return idsIn(store) as Int32Array;
}

function idsIn(store: Store): NumericArray {
  return store.fields.get("systemId")!.values;
}

function emptyError(action: string): RangeError {
  return new RangeError(
    `Cannot ${action}: a batch must keep at least one system; the selection leaves 0`,
  );
}
