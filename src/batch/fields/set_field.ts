/**
 * Construction of the fields that are set in a batch.
 *
 * @module
 */

import { BUILT_IN, dtypeOf, type FieldInfo, type NumericArray } from "./fields.ts";
import {
  copyValues,
  declareField,
  type FieldOptions,
  type NumericInput,
  ROW_NAMES,
} from "./field_values.ts";
import { type Field, rowsOf, sizeOf, type Store } from "../store.ts";
import { show } from "../../base/show.ts";

/** Returns a field with the given values. If the store has a field of this name, its description is kept. */
export function fieldFrom(
  store: Store,
  name: string,
  values: NumericInput | number,
  options: FieldOptions,
): Field {
  const action = `set ${show(name)}`;
  const known = store.fields.get(name)?.info;
  const info = known === undefined
    ? declare(store, name, values, options, action)
    : unchanged(known, options, action);
  return { info, values: valuesOf(values, info, store, action) };
}

/** Returns a built-in field with its fill value in all rows, or `undefined` if no built-in field has this name. */
export function filledField(store: Store, name: string): Field | undefined {
  const info = BUILT_IN.get(name);
  if (info === undefined) return undefined;
  return { info, values: valuesOf(info.fill ?? 0, info, store, `set "${name}"`) };
}

function valuesOf(
  values: NumericInput | number,
  info: FieldInfo,
  store: Store,
  action: string,
): NumericArray {
  const rows = rowsOf(info, store, sizeOf(store));
  const list = typeof values === "number"
    ? new Float64Array(rows * info.width).fill(values)
    : values;
  return copyValues(list, info, rows, action);
}

function declare(
  store: Store,
  name: string,
  values: NumericInput | number,
  options: FieldOptions,
  action: string,
): FieldInfo {
  if (BUILT_IN.has(name)) return declareField(name, options, action);
  const dtype = options.dtype ?? dtypeOf(values) ?? "f64";
  return declareField(name, { ...options, dtype, width: widthOf(store, values, options) }, action);
}

/**
 * Returns the numbers per row: the option `width`, the length of the first row, or the length of a flat list divided
 * by the number of rows.
 */
function widthOf(
  store: Store,
  values: NumericInput | number,
  { width, level }: FieldOptions,
): number {
  if (width !== undefined || typeof values === "number" || level === undefined) return width ?? 1;
  const first = values?.[0];
  if (typeof first === "object") return first.length;
  if (!Object.hasOwn(ROW_NAMES, level)) return 1;
  const perRow = values.length / rowsOf({ level } as FieldInfo, store, sizeOf(store));
  return Number.isInteger(perRow) && perRow > 0 ? perRow : 1;
}

/**
 * Checks that options agree with an existing field, and returns its description. Only the fill value of a custom
 * field may change, because any other change would not fit the stored values.
 */
function unchanged(known: FieldInfo, options: FieldOptions, action: string): FieldInfo {
  for (const key of ["level", "width", "dtype", "unit"] as const) {
    if (options[key] === undefined || options[key] === known[key]) continue;
    throw new TypeError(
      `Cannot ${action}: the ${key} of an existing field must stay ${show(known[key])}; got ${
        show(options[key])
      }`,
    );
  }
  if (options.fill === undefined || Object.is(options.fill, known.fill)) return known;
  if (BUILT_IN.has(known.name)) return declareField(known.name, options, action);
  const { fill } = declareField(
    known.name,
    { ...known, fill: options.fill } as FieldOptions,
    action,
  );
  return Object.freeze({ ...known, fill });
}
