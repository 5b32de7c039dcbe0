/**
 * What a file says of the type and shape of a value.
 *
 * @module
 */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type TensorShapeProto_DimensionSchema, ValueInfoProtoSchema } from "onnx-buf";
import { codeOf, type ElementType, elementTypeOf } from "./element_type.ts";
import type { ValueInfoProto } from "./messages.ts";

/** How many along an axis: a number, the name of a number that is free, or `undefined` for one nobody named. */
export type Length = number | string | undefined;

/** The lengths along all axes. */
export type Shape = readonly Length[];

/** A value of a graph by its name: what goes in, what comes out. */
export interface ValueDescription {
  /** Its name in the graph. */
  readonly name: string;
  /** The type of its elements; `undefined` where the file does not say, or where it is no tensor. */
  readonly type: ElementType | undefined;
  /** Its shape; `undefined` where the file does not say. */
  readonly shape: Shape | undefined;
}

/** Type and shape as the file gives them. */
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

/** A tensor's type and shape as a file has them. */
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
