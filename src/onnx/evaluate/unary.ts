import { allocate } from "./memory.ts";
import type { ElementType } from "../codec/element_type.ts";
import type { NodeProto } from "../codec/messages.ts";
import { required } from "./operands.ts";
import type { Evaluate } from "./operator.ts";
import type { PlainTensor } from "./plain_tensor.ts";
import { wrap } from "./operators/rounding.ts";

/** Function of one element. */
export type Formula = (x: number) => number;

/** Applies a function to each element, and wraps integers to the range of `type`. */
export function mapped(
  x: PlainTensor,
  formula: Formula,
  type: ElementType = x.type,
): PlainTensor {
  const from = x.data, data = allocate(from.length);
  for (let i = 0; i < data.length; i++) data[i] = formula(from[i]!); // hot
  return { type, dims: x.dims, data: wrap(type, data) };
}

/**
 * Creates an operator that applies a function to each element of its input. The result has the type `type`, or that
 * of the input.
 */
export function unary(formula: Formula, type?: ElementType): Evaluate {
  return (inputs, node) => [mapped(required(inputs, 0, node), formula, type)];
}

/**
 * Creates an operator that applies a function to each element of its input. The function depends on the attributes of
 * the node.
 */
export function unaryOf(formulaOf: (node: NodeProto) => Formula): Evaluate {
  return (inputs, node) => [mapped(required(inputs, 0, node), formulaOf(node))];
}
