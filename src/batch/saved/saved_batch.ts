/**
 * Batches as plain data.
 *
 * @module
 */

import { dtypeOf, type FieldInfo, isDType, type NumericArray } from "../fields/fields.ts";
import { show } from "../../base/show.ts";
import type { Field, Info, Store } from "../store.ts";
import { inBatch } from "../batch_state.ts";
import { checkStore } from "./check_store.ts";

/** A batch in a checkpoint, as plain data. */
export interface SavedBatch {
  /** Index of the first node of each system, followed by the number of nodes. */
  readonly nodeOffsets: Int32Array;
  /** Index of the first edge of each system, followed by the number of edges. */
  readonly edgeOffsets: Int32Array;
  /** The `info` of each system, by slot. */
  readonly infos: readonly Info[];
  /**
   * Names of the values in each `info`, in their order, because a checkpoint sorts names. A list is empty if its names
   * are sorted already, and the member is omitted if all lists are empty.
   */
  readonly infoNames?: readonly (readonly string[])[];
  /** All fields of the batch. */
  readonly fields: readonly SavedField[];
  /** Smallest system id that no system of the batch has ever had. */
  readonly nextSystemId: number;
}

/** A field as plain data. `fill` is omitted if it is undefined. */
export interface SavedField extends Omit<FieldInfo, "fill"> {
  /** Value that systems without the field get when they join the batch. */
  readonly fill?: number;
  /** Values of all rows, `width` numbers per row. */
  readonly values: NumericArray;
}

/** Copies a store to plain data for a checkpoint. */
export function saveStore(store: Store, nextSystemId: number): SavedBatch {
  const infoNames = store.infos.map(namesOf);
  return {
    nodeOffsets: store.nodeOffsets.slice(),
    edgeOffsets: store.edgeOffsets.slice(),
    infos: structuredClone(store.infos) as Info[],
    ...infoNames.some((names) => names.length > 0) && { infoNames },
    fields: Array.from(store.fields.values(), ({ info: { fill, ...info }, values }) => ({
      ...info,
      ...(fill === undefined ? {} : { fill }),
      values: values.slice(),
    })),
    nextSystemId,
  };
}

/**
 * Creates a store from the result of `saveStore`.
 *
 * @throws {TypeError} if the value has another form
 */
export function loadStore(saved: unknown): Store {
  const { nodeOffsets, edgeOffsets, infos, infoNames = [], fields } = checked(saved);
  const store: Store = {
    nodeOffsets: nodeOffsets.slice(),
    edgeOffsets: edgeOffsets.slice(),
    infos: infos.map((info, system) => structuredClone(ordered(info, infoNames[system] ?? []))),
    fields: new Map(fields.map(({ values, fill, ...info }): [string, Field] => [
      info.name,
      { info: Object.freeze({ ...info, fill }), values: values.slice() },
    ])),
  };
  checkStore(store, "load a batch", inBatch(store), { isData: true });
  return store;
}

/** Returns the names of the values in an `info`, or an empty list if they are sorted. */
function namesOf(info: Info): string[] {
  const names = Object.keys(info);
  return names.some((name, i) => i > 0 && name < names[i - 1]!) ? names : [];
}

/** Returns an `info` with its values in the order of `names`. Values that are not in the list come last. */
function ordered(info: Info, names: readonly string[]): Info {
  const first = names.filter((name) => Object.hasOwn(info, name));
  return { ...Object.fromEntries(first.map((name) => [name, info[name]])), ...info };
}

function checked(saved: unknown): SavedBatch {
  const { nodeOffsets, edgeOffsets, infos, infoNames, fields, nextSystemId } =
    (saved ?? {}) as Partial<SavedBatch>;
  const isBatch = nodeOffsets instanceof Int32Array && edgeOffsets instanceof Int32Array &&
    Array.isArray(infos) && nodeOffsets.length === infos.length + 1 &&
    edgeOffsets.length === nodeOffsets.length && Number.isInteger(nextSystemId) &&
    (infoNames === undefined ||
      Array.isArray(infoNames) && infoNames.every((names) => Array.isArray(names))) &&
    Array.isArray(fields) &&
    fields.every((field) => isField(field, nodeOffsets, edgeOffsets));
  if (isBatch) return saved as SavedBatch;
  throw new TypeError(
    `Cannot load a batch: the data must be a result of save(); got ${show(saved)}`,
  );
}

function isField(field: unknown, nodeOffsets: Int32Array, edgeOffsets: Int32Array): boolean {
  const { name, level, dtype, width, unit, values } = (field ?? {}) as Partial<SavedField>;
  const rows = level === "node"
    ? nodeOffsets.at(-1)!
    : level === "edge"
    ? edgeOffsets.at(-1)!
    : level === "system"
    ? nodeOffsets.length - 1
    : -1;
  return typeof name === "string" && typeof unit === "string" && isDType(dtype) &&
    dtypeOf(values) === dtype && values?.length === rows * (width ?? NaN);
}
