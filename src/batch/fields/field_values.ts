/**
 * Values as callers give them, checked and copied into the array of a field.
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

/** Values of a field: flat, or one list per row. */
export type NumericInput = ArrayLike<number> | readonly ArrayLike<number>[];

/** What a user's field is. */
export interface FieldOptions {
  /** What it has one row per. Must be given for a new field that is not built in. */
  readonly level?: Level;
  /** Values per row. @default 1, or what the values have */
  readonly width?: number;
  /** How the values are stored. @default "f64", or that of the values when they are a typed array */
  readonly dtype?: DType;
  /** The unit of its values. @default "" */
  readonly unit?: string;
  /**
   * The value for systems without the field when they join. @default NaN for floats; integers have none, and then
   * systems without the field cannot join
   */
  readonly fill?: number;
}

/** How errors about a field call the rows: "atom 3", "edge 0". */
export const ROW_NAMES: Readonly<Record<Level, string>> = {
  node: "atom",
  edge: "edge",
  system: "system",
};

/**
 * What a field is, from what is declared and what is built in.
 *
 * @throws {TypeError} for a declaration that is none, or that differs from the built-in field of the name
 */
export function declareField(name: string, options: FieldOptions, action: string): FieldInfo {
  checkName(name, action);
  const builtIn = BUILT_IN.get(name);
  if (builtIn !== undefined) return sameAsBuiltIn(builtIn, options, action);
  const { level, width = 1, dtype = "f64", unit = "", fill } = options;
  if (level === undefined || !Object.hasOwn(ROW_NAMES, level)) {
    throw new TypeError(
      `Cannot ${action} as the level of "${name}" must be "node", "edge" or "system": current value is ${
        show(level)
      }`,
    );
  }
  if (!isDType(dtype)) {
    throw new TypeError(
      `Cannot ${action} as the dtype of "${name}" must be f64, f32, i32, u32 or u8: current value is ${
        show(dtype)
      }`,
    );
  }
  if (!Number.isInteger(width) || width < 1) {
    throw new RangeError(
      `Cannot ${action} as the width of "${name}" must be 1 or more: current value is ${
        show(width)
      }`,
    );
  }
  if (fill !== undefined) checkOne(fill, dtype, () => `the fill value of "${name}"`, action);
  return Object.freeze({ name, level, dtype, width, unit, fill });
}

function checkName(name: unknown, action: string): void {
  if (typeof name === "string" && /^[^\s:=",'[\]{}\\]+$/.test(name)) return;
  throw new TypeError(
    `Cannot ${action} as the name of a field must be a word without any of : = " ' , [ ] { } \\: current value is ${
      show(name)
    }`,
  );
}

function sameAsBuiltIn(builtIn: FieldInfo, options: FieldOptions, action: string): FieldInfo {
  for (const key of ["level", "width", "dtype", "unit", "fill"] as const) {
    const given = options[key];
    if (given === undefined || Object.is(given, builtIn[key])) continue;
    throw new TypeError(
      `Cannot ${action} as the ${key} of the built-in field "${builtIn.name}" must be ${
        show(builtIn[key])
      }: current value is ${show(given)}`,
    );
  }
  return builtIn;
}

/**
 * A copy of the values in the dtype of the field.
 *
 * @param rows how many rows there must be
 * @throws {TypeError} for what is no list of numbers
 * @throws {RangeError} for a wrong length, and for numbers an integer field cannot hold
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
      `Cannot ${action} as ${name} must have ${rows * width} values (${width} per ${
        ROW_NAMES[info.level]
      }): current length is ${flat.length}`,
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

/** "forces of atom 3" */
function whereOf({ name, level }: FieldInfo, row: number): string {
  return level === "system" ? name : `${name} of ${ROW_NAMES[level]} ${row}`;
}

function flatten(values: NumericInput, info: FieldInfo, action: string): ArrayLike<number> {
  if (!isArrayLike(values)) {
    throw new TypeError(
      `Cannot ${action} as ${info.name} must be a list of numbers: current value is ${
        show(values)
      }`,
    );
  }
  if (!isArrayLike(values[0])) return values as ArrayLike<number>;
  const flat: number[] = [];
  for (let row = 0; row < values.length; row++) {
    const one = values[row];
    if (!isArrayLike(one) || one.length !== info.width) {
      throw new RangeError(
        `Cannot ${action} as ${
          whereOf(info, row)
        } must have ${info.width} values: current value is ${show(one)}`,
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
      `Cannot ${action} as ${what()} must be a number: current value is ${show(value)}`,
    );
  }
  if (!isInteger(dtype)) return;
  const [least, largest] = rangeOf(dtype);
  if (Number.isInteger(value) && value >= least && value <= largest) return;
  throw new RangeError(
    `Cannot ${action} as ${what()} must be a whole number from ${least} to ${largest}: current value is ${value}`,
  );
}

/** What `checkRows` asks of the values. */
export interface RowCheck {
  /** Whether they must be above zero. @default false */
  readonly positive?: boolean;
  /** What to say after "atom 3": " of system 5". @default "" */
  readonly of?: string;
}

/** @throws {RangeError} for the first row with a value that is not finite (or not above zero, if asked), naming it */
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
      `Cannot ${action} as ${whereOf(info, row)}${of} must be ${
        positive ? "positive and finite" : "finite"
      }: current value is ${showRow(values, row, info.width)}`,
    );
  }
}

/** The values in the array type of the field: the same array when it has it. */
export function typed(values: NumericArray, { dtype }: FieldInfo): NumericArray {
  if (dtypeOf(values) === dtype) return values;
  const copy = allocate(dtype, values.length);
  copy.set(values);
  return copy;
}

/** Returns a row of numbers as an error message shows it. */
export function showRow(values: ArrayLike<number>, row: number, width: number): string {
  return show(
    width === 1 ? values[row] : Array.from({ length: width }, (_, i) => values[row * width + i]),
  );
}
