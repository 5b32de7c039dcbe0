import { create } from "@bufbuild/protobuf";
import { ValueInfoProtoSchema } from "onnx-buf";
import type { ElementType } from "../codec/element_type.ts";
import type { ValueInfoProto } from "../codec/messages.ts";
import { type Shape, valueInfo } from "../codec/value_info.ts";

/** A value's type and shape as far as they are known; without a type nothing but its name, and the runtime finds out. */
export function bareValueInfo(
  name: string,
  type: ElementType | undefined,
  shape: Shape | undefined,
): ValueInfoProto {
  return type === undefined ? create(ValueInfoProtoSchema, { name }) : valueInfo(name, type, shape);
}
