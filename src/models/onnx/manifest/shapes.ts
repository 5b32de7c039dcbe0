/**
 * Comparison of the types and shapes of tensors with those of meanings, and their description as text.
 *
 * @module
 */

import type { TensorDtype, TensorInfo } from "../../../onnx/session/session_tensor.ts";
import type { Axis, Form, Meaning } from "./meanings.ts";

const FLOATS: readonly TensorDtype[] = ["float32", "float64", "float16"];
const NOT_INTS: readonly TensorDtype[] = [...FLOATS, "bool"];

/** Returns whether the type of a tensor is accepted for a meaning. */
export function fitsType({ types }: Meaning, { dtype }: TensorInfo): boolean {
  if (types === "any") return true;
  if (types === "number") return dtype !== "bool";
  return types === "float" ? FLOATS.includes(dtype) : !NOT_INTS.includes(dtype);
}

/**
 * Returns the form of a meaning that fits a tensor's shape best; `undefined` if no form fits. Every form fits a
 * tensor without a shape.
 */
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

/**
 * Returns the form of a meaning that a tensor's shape fits exactly: its fixed lengths are those of the form, and all
 * its other lengths are free. Returns `undefined` if there is no such form.
 */
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

/** Returns whether a length is a fixed number, not a name or an unknown length. */
function isFixed(length: number | string): boolean {
  return typeof length === "number" && length >= 0;
}

/** Returns the name of a dimension; `undefined` if its length is fixed or it has no name. */
export function lengthName(length: number | string | undefined): string | undefined {
  return typeof length === "string" && length !== "" ? length : undefined;
}

/** Describes a tensor as text: its name, type and shape. */
export function showTensor({ name, dtype, shape }: TensorInfo): string {
  return `${name} (${dtype} [${shape.map((length) => length === "" ? "?" : length).join(", ")}])`;
}

/** Describes the accepted types and shapes of a meaning as text. */
export function showMeaning({ types, forms }: Meaning): string {
  const kind = { float: "floats", int: "whole numbers", number: "numbers", any: "numbers" }[types];
  return `${kind} [${forms.map((form) => form.join(", ")).join("] or [")}]`;
}
