/**
 * Reading, setting and removing the fields of a batch.
 *
 * @module
 */

import { type BatchState, ESSENTIAL, inBatch, replaceStore } from "../batch_state.ts";
import { checkStore } from "../saved/check_store.ts";
import { show } from "../../base/show.ts";
import type { Field } from "../store.ts";
import { afterIds } from "../system_ids.ts";
import { storeWithEdges } from "../with_edges.ts";
import { type FieldOptions, type NumericInput, typed } from "./field_values.ts";
import { missing, type NumericArray } from "./fields.ts";
import { heldError } from "./holder.ts";
import { fieldFrom, filledField } from "./set_field.ts";

/**
 * Returns the values of a field.
 *
 * @throws {TypeError} if the field does not exist
 * @throws {Error} if an engine holds the field
 */
export function heldValues(state: BatchState, name: string): NumericArray {
  const { values } = fieldOf(state, name);
  // The text of an error costs more than reading the field, so it is made only if it is needed.
  if (state.holder?.fields.has(name)) assertFree(state, `get ${show(name)}`, name);
  return values;
}

/**
 * Returns the current values of a field: a copy from the engine that holds it, or the values of the batch if no
 * engine holds the field.
 */
export async function presentValues(state: BatchState, name: string): Promise<NumericArray> {
  const { holder } = state;
  if (!holder?.fields.has(name)) return heldValues(state, name);
  const { info } = fieldOf(state, name);
  return typed(await holder.fetch(name), info);
}

/** Sets the values of a field, or adds a new field. Throws as `Batch.set` does. */
export function setField(
  state: BatchState,
  name: string,
  values: NumericInput | number,
  options: FieldOptions,
): void {
  const action = `set ${show(name)}`, { store } = state;
  assertFree(state, action, name);
  const field = fieldFrom(store, name, values, options);
  const changed = { ...store, fields: new Map(store.fields).set(name, field) };
  checkStore(changed, action, inBatch(changed), { only: name });
  if (name === "systemId") state.nextId = Math.max(state.nextId, afterIds(field.values));
  store.fields.set(name, field);
}

/** Adds a built-in field with its fill value if the batch does not have it. Does nothing for any other name. */
export function ensureField({ store }: BatchState, name: string): void {
  if (store.fields.has(name)) return;
  const field = filledField(store, name);
  if (field !== undefined) store.fields.set(name, field);
}

/** Removes a field. Throws as `Batch.remove` does. */
export function removeField(state: BatchState, name: string): void {
  heldValues(state, name);
  if (ESSENTIAL.includes(name)) {
    throw new TypeError(
      `Cannot remove ${show(name)}: it is required in every batch, as are all of ${
        ESSENTIAL.join(", ")
      }`,
    );
  }
  if (name === "edges") replaceStore(state, storeWithEdges(state.store, []), "remove the edges");
  state.store.fields.delete(name);
}

/** Takes fields back from the engine that holds them, and copies `values` to them. Throws as `Batch.detach` does. */
export function takeBackFields(
  state: BatchState,
  values: Readonly<Record<string, NumericArray>>,
): void {
  const fields = Object.entries(values).map(([name, list]) => {
    const own = fieldOf(state, name).values;
    if (list.length === own.length) return { own, list };
    throw new RangeError(
      `Cannot detach a batch: ${name} must have ${own.length} values; got ${list.length}`,
    );
  });
  for (const { own, list } of fields) own.set(list);
  state.holder = undefined;
}

function fieldOf({ store }: BatchState, name: string): Field {
  const field = store.fields.get(name);
  if (field === undefined) throw missing(name, store.fields.keys(), "batch");
  return field;
}

function assertFree({ holder }: BatchState, action: string, name: string): void {
  if (holder?.fields.has(name)) throw heldError(action, name, holder.by);
}
