/**
 * Whether a tensor can have a meaning: types and shapes, compared.
 *
 * @module
 */

import type { TensorDtype, TensorInfo } from "../../../onnx/session/session_tensor.ts";
import type { Axis, Form, Meaning } from "./meanings.ts";

const FLOATS: readonly TensorDtype[] = ["float32", "float64", "float16"];
const NOT_INTS: readonly TensorDtype[] = [...FLOATS, "bool"];

/** Whether a tensor's type is one that a meaning may have. */
export function fitsType({ types }: Meaning, { dtype }: TensorInfo): boolean {
  if (types === "any") return true;
  if (types === "number") return dtype !== "bool";
  return types === "float" ? FLOATS.includes(dtype) : !NOT_INTS.includes(dtype);
}

/** The form that a tensor's shape is of, as well as may be. One without lengths may be of any. */
export function formOf({ forms }: Meaning, { shape }: TensorInfo): Form | undefined {
  if (shape.length === 0) return forms.find(({ length }) => length === 0) ?? forms[0];
  let [best, most]: [Form | undefined, number] = [undefined, -Infinity];
  for (const form of forms) {
    if (form.length !== shape.length || !form.every((axis, i) => isLike(axis, shape[i]!))) continue;
    const equal = form.filter((axis, i) => axis === shape[i]).length;
    const open = form.filter((axis, i) => typeof axis === "number" && !isFixed(shape[i]!)).length;
    if (equal - open > most) [best, most] = [form, equal - open];
  }
  return best;
}

/** The same for a shape that is told: its fixed lengths are those of the form, and no others are fixed. */
export function exactFormOf({ forms }: Meaning, { shape }: TensorInfo): Form | undefined {
  return forms.find((form) =>
    form.length === shape.length &&
    form.every((axis, i) =>
      typeof axis === "number" ? axis === shape[i] : axis !== "3B" && !isFixed(shape[i]!)
    )
  );
}

function isLike(axis: Axis, length: number | string): boolean {
  return typeof axis !== "number" || !isFixed(length) || length === axis;
}

/** Whether a length is a number that is known. */
function isFixed(length: number | string): boolean {
  return typeof length === "number" && length >= 0;
}

/** The name of a length that varies, if it has one. */
export function lengthName(length: number | string | undefined): string | undefined {
  return typeof length === "string" && length !== "" ? length : undefined;
}

/** A tensor in words: its type and shape. */
export function showTensor({ name, dtype, shape }: TensorInfo): string {
  return `${name} (${dtype} [${shape.map((length) => length === "" ? "?" : length).join(", ")}])`;
}

/** A meaning in words: the types and shapes it may have. */
export function showMeaning({ types, forms }: Meaning): string {
  const kind = { float: "floats", int: "whole numbers", number: "numbers", any: "numbers" }[types];
  return `${kind} [${forms.map((form) => form.join(", ")).join("] or [")}]`;
}
