/**
 * Copies and views of a batch whose values an engine may hold.
 *
 * @module
 */

import { type BatchState, ESSENTIAL } from "./batch_state.ts";
import { presentValues } from "./fields/batch_fields.ts";
import type { NumericArray } from "./fields/fields.ts";
import { typed } from "./fields/field_values.ts";
import { type FieldHolder, isMade } from "./fields/holder.ts";
import { selectedStore, storeAt } from "./membership.ts";
import { placesOf, type Selection } from "./selection.ts";
import { type Field, sizeOf, type Store } from "./store.ts";

/** Values of held fields at another time, by name. They replace the current values. */
type KnownValues = Readonly<Record<string, NumericArray>>;

/** Creates a store with the current values of selected systems. See `Batch.snapshot`. */
export async function snapshotStore(
  state: BatchState,
  selection: Selection | undefined,
  known: KnownValues,
  wanted: readonly string[] | undefined,
): Promise<Store> {
  const kept = wanted && new Set([...ESSENTIAL, ...wanted]);
  const isKept = (name: string) => kept === undefined || kept.has(name);
  const fields = new Map([...state.store.fields].filter(([name]) => isKept(name)));
  const held = [...state.holder?.fields ?? []].filter((name) => fields.has(name));
  await bringPresent(state, fields, held, known);
  const store = { ...state.store, fields };
  if (!isOfAll(selection, sizeOf(store))) {
    return selectedStore(store, selection!, "take a snapshot");
  }
  // A snapshot of all systems, as trajectories take it, needs no second copy of arrays that were created for it.
  const made = held.filter((name) => isMade(known) || !Object.hasOwn(known, name));
  return copyOf(store, new Set(made));
}

/**
 * Returns the holder for a view of the systems in some slots. It fetches the current values of a field from the
 * batch.
 */
export function holderOfView(
  state: BatchState,
  holder: FieldHolder,
  places: readonly number[],
): FieldHolder {
  return {
    by: holder.by,
    get fields() {
      return holder.fields;
    },
    fetch: async (name) => {
      const { info } = state.store.fields.get(name)!;
      const values = typed(await presentValues(state, name), info);
      const store = { ...state.store, fields: new Map([[name, { info, values }]]) };
      return storeAt(store, places).fields.get(name)!.values;
    },
  };
}

/** Replaces the values of held fields, which are out of date, by `known` values or the current ones. */
async function bringPresent(
  state: BatchState,
  fields: Map<string, Field>,
  held: readonly string[],
  known: KnownValues,
): Promise<void> {
  const values = await Promise.all(held.map((name) => {
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    return own === undefined ? presentValues(state, name) : typed(own, fields.get(name)!.info);
  }));
  for (const [i, name] of held.entries()) {
    fields.set(name, { info: fields.get(name)!.info, values: values[i]! });
  }
}

/** Returns whether a selection consists of all systems in their order. */
function isOfAll(selection: Selection | undefined, size: number): boolean {
  if (selection === undefined) return true;
  const places = placesOf(selection, size, "take a snapshot");
  return places.length === size && places.every((place, i) => place === i);
}

/** Copies a store. The values of the fields in `made` are not copied. */
function copyOf(store: Store, made: ReadonlySet<string>): Store {
  return {
    nodeOffsets: store.nodeOffsets.slice(),
    edgeOffsets: store.edgeOffsets.slice(),
    infos: [...store.infos],
    fields: new Map(Array.from(store.fields, ([name, { info, values }]) => [
      name,
      { info, values: made.has(name) ? values : values.slice() },
    ])),
  };
}
