/**
 * Fields of a store as they are read.
 *
 * @module
 */

import {
  allocate,
  BUILT_IN,
  type DType,
  type FieldInfo,
  isDType,
  isInteger,
  type NumericArray,
  rangeOf,
} from "../../batch/fields/fields.ts";
import { type ArrayMetadata, JsonReader } from "./array_metadata.ts";
import { type FieldPlace, nameOf } from "./root_metadata.ts";
import type { RowRange, StoredArray } from "./stored_array.ts";

/** A field whose values are in an array of a store. */
export class StoredField {
  readonly array: StoredArray;
  readonly info: FieldInfo;
  /** Name of the field with the residuals of the values, which exists only if some are not 0; see residual.ts. */
  readonly residual: string | undefined;

  constructor(array: StoredArray, place: FieldPlace) {
    this.array = array;
    this.info = infoOf(array, place);
    this.residual = readResidual(array);
  }

  /**
   * Returns the values of some rows in the type of the field. Throws a SyntaxError if a value does not fit
   * the type.
   */
  async read(ranges: readonly RowRange[]): Promise<NumericArray> {
    return this.convert(await this.array.read(ranges));
  }

  /** Converts values to the type of the field. Throws a SyntaxError if a value does not fit the type. */
  convert(stored: NumericArray): NumericArray {
    const { dtype } = this.info;
    const values = allocate(dtype, stored.length);
    values.set(stored);
    const isSame = !isInteger(dtype) || stored.constructor === values.constructor;
    if (isSame) return values;
    const wrong = stored.findIndex((value, i) => value !== values[i]);
    if (wrong === -1) return values;
    throw new SyntaxError(
      `Cannot read ${this.array.path}: its values must fit into ${dtype}; got ${
        stored[wrong]
      } at ${wrong}`,
    );
  }
}

function infoOf({ path, metadata, width }: StoredArray, place: FieldPlace): FieldInfo {
  const json = new JsonReader(`${path}/zarr.json`);
  const { hooke } = metadata.attributes;
  const info = hooke === undefined
    ? foreignInfo(metadata, width, place)
    : readInfo(json, json.object("attributes.hooke", hooke));
  const builtIn = BUILT_IN.get(info.name);
  const isSame = info.level === place.level && info.width === width &&
    (builtIn === undefined || builtIn.level === info.level && builtIn.width === info.width &&
        builtIn.dtype === info.dtype);
  const holds = isInteger(info.dtype)
    ? metadata.value.range !== undefined
    : metadata.value.range === undefined;
  if (!isSame || !holds) {
    const must = builtIn ?? info;
    json.refuse(
      "shape and data_type",
      `those of ${must.width} × ${must.dtype} per ${must.level} for "${info.name}"`,
      `${width} × ${metadata.type} per ${place.level}`,
    );
  }
  return builtIn ?? info;
}

/** Reads the attributes that Hooke writes for a field. */
function readInfo(json: JsonReader, hooke: Readonly<Record<string, unknown>>): FieldInfo {
  const key = "attributes.hooke", { name, unit, dtype, fill } = hooke;
  if (typeof name !== "string" || !/^[^\s:=",'[\]{}\\]+$/.test(name)) {
    json.refuse(`${key}.name`, "the name of a field", name);
  }
  if (typeof unit !== "string") json.refuse(`${key}.unit`, "text", unit);
  if (!isDType(dtype)) json.refuse(`${key}.dtype`, "f64, f32, i32, u32 or u8", dtype);
  return Object.freeze({
    name,
    unit,
    dtype,
    fill: readFill(json, `${key}.fill`, fill, dtype),
    level: json.oneOf(`${key}.level`, hooke.level, ["node", "edge", "system"] as const),
    width: json.count(`${key}.width`, hooke.width, 1),
  });
}

function readResidual(
  { path, metadata: { attributes: { hooke } } }: StoredArray,
): string | undefined {
  const { residual } = (hooke ?? {}) as { readonly residual?: unknown };
  if (residual === undefined || typeof residual === "string") return residual;
  new JsonReader(`${path}/zarr.json`).refuse("attributes.hooke.residual", "text", residual);
}

function readFill(json: JsonReader, key: string, fill: unknown, dtype: DType): number | undefined {
  if (fill === undefined) return undefined;
  const isText = typeof fill === "string" && /^(NaN|-?Infinity|-0)$/.test(fill);
  const value = isText ? Number(fill) : fill;
  if (typeof value !== "number") json.refuse(key, "a number", fill);
  if (!isInteger(dtype)) return value;
  const [least, largest] = rangeOf(dtype);
  if (Number.isInteger(value) && value >= least && value <= largest) return value;
  json.refuse(key, `a whole number from ${least} to ${largest}`, fill);
}

/**
 * Returns the description of a field of another program: the built-in field of that name, or a custom field. If a
 * built-in field has that name but another shape, the custom field gets another name.
 */
function foreignInfo({ type, value }: ArrayMetadata, width: number, place: FieldPlace): FieldInfo {
  const name = nameOf(place), { level } = place;
  const builtIn = BUILT_IN.get(name);
  const isThat = builtIn?.level === level && builtIn.width === width &&
    isInteger(builtIn.dtype) === (value.range !== undefined);
  if (isThat) return builtIn;
  // Hooke has a built-in field of that name with another shape, so the field gets another name.
  const own = builtIn === undefined ? name : `${name}_${place.group}`;
  const isFloat = value.range === undefined;
  return Object.freeze({
    name: own,
    level,
    width,
    unit: "",
    dtype: dtypeOf(type),
    fill: isFloat ? NaN : undefined,
  });
}

function dtypeOf(type: string): DType {
  if (type === "float64") return "f64";
  if (type === "float32") return "f32";
  if (type === "uint8" || type === "bool") return "u8";
  return type.startsWith("uint") ? "u32" : "i32";
}
