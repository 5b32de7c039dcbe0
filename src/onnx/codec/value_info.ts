/**
 * Types and shapes of values in files.
 *
 * @module
 */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type TensorShapeProto_DimensionSchema, ValueInfoProtoSchema } from "onnx-buf";
import { codeOf, type ElementType, elementTypeOf } from "./element_type.ts";
import type { ValueInfoProto } from "./messages.ts";

/** Length of an axis: a number, the name of a variable length, or `undefined` if it is unnamed. */
export type Length = number | string | undefined;

/** Lengths of all axes. */
export type Shape = readonly Length[];

/** A named value of a graph, such as an input or an output. */
export interface ValueDescription {
  /** Name of the value in the graph. */
  readonly name: string;
  /** Element type; `undefined` if the file does not declare it, or the value is not a tensor. */
  readonly type: ElementType | undefined;
  /** Shape; `undefined` if the file does not declare it. */
  readonly shape: Shape | undefined;
}

/** Returns the declared type and shape of a value. */
export function describeValue({ name, type }: ValueInfoProto): ValueDescription {
  const value = type?.value;
  if (value?.case !== "tensorType") return { name, type: undefined, shape: undefined };
  const { elemType, shape } = value.value;
  const lengths = shape?.dim.map(({ value }): Length => {
    if (value.case === "dimValue") return Number(value.value);
    return value.case === "dimParam" && value.value !== "" ? value.value : undefined;
  });
  return { name, type: elementTypeOf(elemType), shape: lengths };
}

/**
 * Returns the declaration of a value: its name, type and shape.
 *
 * @example
 * ```ts
 * import { valueInfo } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const info = valueInfo("positions", "f32", ["N", 3]);
 * assertEquals([info.name, info.type?.value.case], ["positions", "tensorType"]);
 * ```
 */
export function valueInfo(name: string, type: ElementType, shape?: Shape): ValueInfoProto {
  return create(ValueInfoProtoSchema, {
    name,
    type: {
      value: {
        case: "tensorType",
        value: {
          elemType: codeOf(type),
          ...shape !== undefined && { shape: { dim: shape.map(dimension) } },
        },
      },
    },
  });
}

function dimension(length: Length): MessageInitShape<typeof TensorShapeProto_DimensionSchema> {
  if (length === undefined) return {};
  return typeof length === "number"
    ? { value: { case: "dimValue", value: BigInt(length) } }
    : { value: { case: "dimParam", value: length } };
}
