/**
 * Conversion of types and shapes of a file to those of a session.
 *
 * @module
 */

import type { ElementType } from "./element_type.ts";
import type { TensorDtype, TensorInfo } from "../session/session_tensor.ts";
import type { ValueDescription } from "./value_info.ts";

/** Element types of sessions, by element type of files. Types that sessions do not support are missing. */
export const DTYPES: { readonly [Type in ElementType]?: TensorDtype } = {
  f16: "float16",
  f32: "float32",
  f64: "float64",
  i8: "int8",
  i16: "int16",
  i32: "int32",
  i64: "int64",
  u8: "uint8",
  u16: "uint16",
  u32: "uint32",
  u64: "uint64",
  bool: "bool",
};

/**
 * Converts the description of an input or output to that of a session. Unnamed dimensions are `""`. Throws a
 * TypeError if the value is not a tensor of numbers.
 */
export function tensorInfo(model: string, { name, type, shape }: ValueDescription): TensorInfo {
  const dtype = type && DTYPES[type];
  if (dtype !== undefined) {
    return { name, dtype, shape: (shape ?? []).map((length) => length ?? "") };
  }
  throw new TypeError(
    `Cannot open ${model}: ${name} must be a tensor of numbers; got ${
      type === undefined ? "another kind of value" : `a tensor of ${type}`
    }`,
  );
}
