/**
 * Conversions of element types.
 *
 * @module
 */

import { intAttribute } from "../../codec/attributes.ts";
import { type ElementType, elementTypeOf } from "../../codec/element_type.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import type { PlainTensor } from "../plain_tensor.ts";
import { isWhole } from "./rounding.ts";
import { mapped } from "../unary.ts";

const FLOATS: ReadonlySet<ElementType> = new Set(["f16", "bf16", "f32", "f64"]);

/**
 * Converts a tensor to another element type. Conversion to a floating-point type does not round the values.
 * Conversion from a floating-point type to integers truncates toward zero and wraps around; non-finite values become
 * 0. Conversion to booleans makes 0 false and every other value true.
 */
function cast(x: PlainTensor, type: ElementType, node: NodeProto): PlainTensor {
  if (x.type === type) return x;
  if (type === "bool") return mapped(x, (value) => value === 0 ? 0 : 1, type);
  if (isWhole(type)) {
    return FLOATS.has(x.type) ? mapped(x, Math.trunc, type) : mapped(x, keep, type);
  }
  if (FLOATS.has(type)) return { ...x, type };
  throw refused(node, "it must cast to a supported numeric type", type);
}

const keep = (value: number) => value;

const toAttribute: Evaluate = (inputs, node) => {
  const code = intAttribute(node, "to", 0), type = elementTypeOf(code);
  if (type === undefined) throw refused(node, "it must cast to a known type", code);
  return [cast(required(inputs, 0, node), type, node)];
};

const toOther: Evaluate = (inputs, node) => [
  cast(required(inputs, 0, node), required(inputs, 1, node).type, node),
];

/** Implementations of Cast and CastLike. */
export const CASTS: Operators = { Cast: toAttribute, CastLike: toOther };
