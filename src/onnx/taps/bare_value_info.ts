import { create } from "@bufbuild/protobuf";
import { ValueInfoProtoSchema } from "onnx-buf";
import type { ElementType } from "../codec/element_type.ts";
import type { ValueInfoProto } from "../codec/messages.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";

/**
 * Returns the declaration of a value with its type and shape. If the type is unknown, the declaration contains only
 * the name, and the runtime infers type and shape.
 */
export function bareValueInfo(
  name: string,
  type: ElementType | undefined,
  shape: Shape | undefined,
): ValueInfoProto {
  return type === undefined ? create(ValueInfoProtoSchema, { name }) : valueInfo(name, type, shape);
}
