/**
 * Checks and copies of the values that users pass for fields.
 *
 * @module
 */

import {
  allocate,
  BUILT_IN,
  type DType,
  dtypeOf,
  type FieldInfo,
  isDType,
  isInteger,
  type Level,
  type NumericArray,
  rangeOf,
} from "./fields.ts";
import { show } from "../../base/show.ts";

/** Values of a field: a flat list, or one list per row. */
export type NumericInput = ArrayLike<number> | readonly ArrayLike<number>[];

/** Options of a custom field. */
export interface FieldOptions {
  /** Level of the field: one row per atom, edge or system. Required for a new custom field. */
  readonly level?: Level;
  /** Numbers per row. @default 1, or the length of the rows in `values` */
  readonly width?: number;
  /** Type of the stored values. @default "f64", or the type of `values` if it is a typed array */
  readonly dtype?: DType;
  /** Unit of the values. @default "" */
  readonly unit?: string;
  /**
   * Value that systems without the field get when they join a batch that has it. If an integer field has no fill
   * value, systems without the field cannot join. @default NaN for floats, undefined for integers
   */
  readonly fill?: number;
}

/** Names of rows in error messages, as in "atom 3" or "edge 0". */
export const ROW_NAMES: Readonly<Record<Level, string>> = {
  node: "atom",
  edge: "edge",
  system: "system",
};

/**
 * Returns the description of a field with these options. A built-in field has a fixed description.
 *
 * @throws {TypeError} if the name or an option is invalid, or an option differs from the built-in field
 */
export function declareField(name: string, options: FieldOptions, action: string): FieldInfo {
  checkName(name, action);
  const builtIn = BUILT_IN.get(name);
  if (builtIn !== undefined) return sameAsBuiltIn(builtIn, options, action);
  const { level, width = 1, dtype = "f64", unit = "", fill } = options;
  if (level === undefined || !Object.hasOwn(ROW_NAMES, level)) {
    throw new TypeError(
      `Cannot ${action}: the level of "${name}" must be "node", "edge" or "system"; got ${
        show(level)
      }`,
    );
  }
  if (!isDType(dtype)) {
    throw new TypeError(
      `Cannot ${action}: the dtype of "${name}" must be f64, f32, i32, u32 or u8; got ${
        show(dtype)
      }`,
    );
  }
  if (!Number.isInteger(width) || width < 1) {
    throw new RangeError(
      `Cannot ${action}: the width of "${name}" must be a positive integer; got ${show(width)}`,
    );
  }
  if (fill !== undefined) checkOne(fill, dtype, () => `the fill value of "${name}"`, action);
  return Object.freeze({ name, level, dtype, width, unit, fill });
}

function checkName(name: unknown, action: string): void {
  if (typeof name === "string" && /^[^\s:=",'[\]{}\\]+$/.test(name)) return;
  throw new TypeError(
    `Cannot ${action}: the name of a field must be a word without any of : = " ' , [ ] { } \\; got ${
      show(name)
    }`,
  );
}

function sameAsBuiltIn(builtIn: FieldInfo, options: FieldOptions, action: string): FieldInfo {
  for (const key of ["level", "width", "dtype", "unit", "fill"] as const) {
    const given = options[key];
    if (given === undefined || Object.is(given, builtIn[key])) continue;
    throw new TypeError(
      `Cannot ${action}: the ${key} of the built-in field "${builtIn.name}" must be ${
        show(builtIn[key])
      }; got ${show(given)}`,
    );
  }
  return builtIn;
}

/**
 * Returns a flat copy of values in the dtype of the field.
 *
 * @param rows required number of rows
 * @throws {TypeError} if the value is not a list of numbers
 * @throws {RangeError} if the number of values is wrong, or an integer field cannot hold a value
 */
export function copyValues(
  values: NumericInput,
  info: FieldInfo,
  rows: number,
  action: string,
): NumericArray {
  const flat = flatten(values, info, action);
  const { name, width, dtype } = info;
  if (flat.length !== rows * width) {
    throw new RangeError(
      `Cannot ${action}: ${name} must have ${rows * width} values (${width} per ${
        ROW_NAMES[info.level]
      }); got ${flat.length}`,
    );
  }
  const copy = allocate(dtype, flat.length);
  for (let i = 0; i < flat.length; i++) {
    const value = flat[i]!;
    if (isInteger(dtype) || typeof value !== "number") {
      checkOne(value, dtype, () => whereOf(info, Math.floor(i / width)), action);
    }
    copy[i] = value;
  }
  return copy;
}

/** Returns a row's name for error messages, such as "forces of atom 3". A field per system has no row number. */
function whereOf({ name, level }: FieldInfo, row: number): string {
  return level === "system" ? name : `${name} of ${ROW_NAMES[level]} ${row}`;
}

function flatten(values: NumericInput, info: FieldInfo, action: string): ArrayLike<number> {
  if (!isArrayLike(values)) {
    throw new TypeError(
      `Cannot ${action}: ${info.name} must be a list of numbers; got ${show(values)}`,
    );
  }
  if (!isArrayLike(values[0])) return values as ArrayLike<number>;
  const flat: number[] = [];
  for (let row = 0; row < values.length; row++) {
    const one = values[row];
    if (!isArrayLike(one) || one.length !== info.width) {
      throw new RangeError(
        `Cannot ${action}: ${whereOf(info, row)} must have ${info.width} values; got ${show(one)}`,
      );
    }
    for (let i = 0; i < one.length; i++) flat.push((one as ArrayLike<number>)[i]!);
  }
  return flat;
}

function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value) && "length" in value;
}

function checkOne(value: unknown, dtype: DType, what: () => string, action: string): void {
  if (typeof value !== "number") {
    throw new TypeError(
      `Cannot ${action}: ${what()} must be a number; got ${show(value)}`,
    );
  }
  if (!isInteger(dtype)) return;
  const [least, largest] = rangeOf(dtype);
  if (Number.isInteger(value) && value >= least && value <= largest) return;
  throw new RangeError(
    `Cannot ${action}: ${what()} must be a whole number from ${least} to ${largest}; got ${value}`,
  );
}

/** Options of `checkRows`. */
export interface RowCheck {
  /** True if the values must also be above 0. @default false */
  readonly positive?: boolean;
  /** Text after "atom 3" in messages, such as " of system 5". @default "" */
  readonly of?: string;
}

/**
 * Checks that all values are finite and, with `positive`, above 0.
 *
 * @throws {RangeError} for the first row that fails the check; the message names the row
 */
export function checkRows(
  values: NumericArray,
  info: FieldInfo,
  action: string,
  options: RowCheck = {},
): void {
  const { positive = false, of = "" } = options;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isFinite(value) && (!positive || value > 0)) continue;
    const row = Math.floor(i / info.width);
    throw new RangeError(
      `Cannot ${action}: ${whereOf(info, row)}${of} must be ${
        positive ? "positive and finite" : "finite"
      }; got ${showRow(values, row, info.width)}`,
    );
  }
}

/** Converts values to the array type of a field. Returns the same array if it already has this type. */
export function typed(values: NumericArray, { dtype }: FieldInfo): NumericArray {
  if (dtypeOf(values) === dtype) return values;
  const copy = allocate(dtype, values.length);
  copy.set(values);
  return copy;
}

/** Returns one row of `width` numbers as text for an error message. */
export function showRow(values: ArrayLike<number>, row: number, width: number): string {
  return show(
    width === 1 ? values[row] : Array.from({ length: width }, (_, i) => values[row * width + i]),
  );
}
