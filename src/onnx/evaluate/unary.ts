import { allocate } from "./memory.ts";
import type { ElementType } from "../codec/element_type.ts";
import type { NodeProto } from "../codec/messages.ts";
import { required } from "./operands.ts";
import type { Evaluate } from "./operator.ts";
import type { PlainTensor } from "./plain_tensor.ts";
import { wrap } from "./operators/rounding.ts";

/** Function of one number. */
export type Formula = (x: number) => number;

/** Applies a function to each element. */
export function mapped(
  x: PlainTensor,
  formula: Formula,
  type: ElementType = x.type,
): PlainTensor {
  const from = x.data, data = allocate(from.length);
  for (let i = 0; i < data.length; i++) data[i] = formula(from[i]!); // hot
  return { type, dims: x.dims, data: wrap(type, data) };
}

/** Creates an operator with one input that applies the same function in every node. */
export function unary(formula: Formula, type?: ElementType): Evaluate {
  return (inputs, node) => [mapped(required(inputs, 0, node), formula, type)];
}

/** Creates an operator with one input whose function depends on the node's attributes. */
export function unaryOf(formulaOf: (node: NodeProto) => Formula): Evaluate {
  return (inputs, node) => [mapped(required(inputs, 0, node), formulaOf(node))];
}
