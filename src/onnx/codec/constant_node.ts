import { attributeOf } from "./attributes.ts";
import type { NodeProto, TensorProto } from "./messages.ts";
import { makeTensorProto } from "./tensor_proto.ts";

/**
 * Returns the tensor of a Constant node, whichever attribute contains its value; `undefined` for strings and sparse
 * tensors.
 */
export function tensorOfConstant(node: NodeProto): TensorProto | undefined {
  const [name] = node.output;
  const tensor = attributeOf(node, "value")?.t;
  if (tensor !== undefined) return tensor;
  const int = attributeOf(node, "value_int");
  if (int !== undefined) return makeTensorProto("i64", [], [Number(int.i)], name);
  const float = attributeOf(node, "value_float");
  if (float !== undefined) return makeTensorProto("f32", [], [float.f], name);
  const ints = attributeOf(node, "value_ints")?.ints.map(Number);
  if (ints !== undefined) return makeTensorProto("i64", [ints.length], ints, name);
  const floats = attributeOf(node, "value_floats")?.floats;
  return floats && makeTensorProto("f32", [floats.length], floats, name);
}
