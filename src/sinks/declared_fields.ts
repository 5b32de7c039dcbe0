/**
 * Declarations of custom fields in a line of text, for formats that store values without their dtype, unit or
 * fill value.
 *
 * @module
 */

import { reasonOf } from "../base/show.ts";
import { BUILT_IN, type FieldInfo, type NumericArray } from "../batch/fields/fields.ts";
import { copyValues, declareField, type NumericInput } from "../batch/fields/field_values.ts";
import { readNumber, writeNumber } from "../batch/extxyz/values.ts";
import type { DType, Level } from "../batch/fields/fields.ts";

/** Key under which the text is stored. */
export const DECLARED = "hooke_fields";

/**
 * Returns the declarations of the custom fields as `name:level:dtype:width:unit:fill …`; an empty text if
 * there are no custom fields.
 */
export function writeDeclared(fields: readonly FieldInfo[]): string {
  return fields.filter(({ name }) => !BUILT_IN.has(name)).map((info) => {
    const { name, level, dtype, width, unit, fill } = info;
    const words = [name, level, dtype, width, unit.replace(/[\s%:]/g, encodeURIComponent)];
    return [...words, fill === undefined ? "" : writeNumber(fill)].join(":");
  }).join(" ");
}

/** Reads a text that `writeDeclared` returned. Throws a SyntaxError if it is not valid. */
export function readDeclared(text: unknown): FieldInfo[] {
  if (typeof text !== "string") throw badDeclared(text);
  return text.split(" ").filter((word) => word !== "").map((word) => readOne(word, text));
}

function readOne(word: string, text: string): FieldInfo {
  const [name = "", level, dtype, width, unit, fill, ...more] = word.split(":");
  const number = fill === undefined || fill === "" ? undefined : readNumber(fill);
  const isWhole = unit !== undefined && more.length === 0 && /^\d{1,6}$/.test(width ?? "") &&
    (fill === "" || number !== undefined) && !BUILT_IN.has(name);
  if (!isWhole) throw badDeclared(text);
  try {
    return declareField(name, {
      level: level as Level,
      dtype: dtype as DType,
      width: Number(width),
      unit: decodeURIComponent(unit),
      ...(number === undefined ? {} : { fill: number }),
    }, "read a field");
  } catch (cause) {
    throw badDeclared(text, cause);
  }
}

function badDeclared(text: unknown, cause?: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read fields: ${DECLARED} must be a list of name:level:dtype:width:unit:fill; got ${
      JSON.stringify(text)?.slice(0, 200)
    }`,
    cause === undefined ? undefined : { cause },
  );
}

/**
 * Returns the values of a declared field in an array of its dtype. Throws a SyntaxError if they do not match
 * the declaration.
 */
export function asDeclared(values: unknown, info: FieldInfo, rows: number): NumericArray {
  const list = typeof values === "number" || typeof values === "boolean" ? [values] : values;
  const plain = Array.isArray(list) && list.every((x) => typeof x === "boolean")
    ? list.map(Number)
    : list;
  try {
    return copyValues(plain as NumericInput, info, rows, "read a field");
  } catch (cause) {
    throw new SyntaxError(
      `Cannot read the declared field ${info.name}: ${reasonOf(cause)}`,
      { cause },
    );
  }
}
