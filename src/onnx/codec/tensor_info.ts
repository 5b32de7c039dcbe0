/**
 * What a file says of inputs and outputs, as sessions say it.
 *
 * @module
 */

import type { ElementType } from "./element_type.ts";
import type { TensorDtype, TensorInfo } from "../session/session_tensor.ts";
import type { ValueDescription } from "./value_info.ts";

/** Types that a session knows, as it calls them. */
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

/** The same; lengths that nobody named are `""`. Throws a TypeError for what is no tensor of numbers. */
export function tensorInfo(model: string, { name, type, shape }: ValueDescription): TensorInfo {
  const dtype = type && DTYPES[type];
  if (dtype !== undefined) {
    return { name, dtype, shape: (shape ?? []).map((length) => length ?? "") };
  }
  throw new TypeError(
    `Cannot open ${model} as ${name} must be a tensor of numbers: it is ${
      type === undefined ? "no tensor" : `one of ${type}`
    }`,
  );
}
