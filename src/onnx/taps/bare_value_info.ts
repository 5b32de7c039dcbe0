import { create } from "@bufbuild/protobuf";
import { ValueInfoProtoSchema } from "onnx-buf";
import type { ElementType } from "../codec/element_type.ts";
import type { ValueInfoProto } from "../codec/messages.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";

/**
 * Returns type and shape of a value as far as they are known. If the type is unknown, only the name is set, and the
 * runtime infers the rest.
 */
export function bareValueInfo(
  name: string,
  type: ElementType | undefined,
  shape: Shape | undefined,
): ValueInfoProto {
  return type === undefined ? create(ValueInfoProtoSchema, { name }) : valueInfo(name, type, shape);
}
