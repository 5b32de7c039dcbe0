/**
 * Validation of inputs and attributes of nodes.
 *
 * @module
 */

import { intsAttribute } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** Returns the input at an index. Throws a TypeError if it is omitted. */
export function required(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  node: NodeProto,
): PlainTensor {
  const found = inputs[index];
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot evaluate ${showNode(node)}: its input ${index} is required`,
  );
}

/**
 * Returns the index of an axis, from 0. A negative axis counts from the end. Throws a RangeError if the axis does not
 * exist.
 */
export function axisOf(axis: number, rank: number, node: NodeProto): number {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw refused(node, `an axis must be from ${-rank} to ${rank - 1}`, axis);
}

/** Returns the error for an invalid input or attribute. */
export function refused(node: NodeProto, requirement: string, value: unknown): RangeError {
  return new RangeError(
    `Cannot evaluate ${showNode(node)}: ${requirement}; got ${value}`,
  );
}

/**
 * Returns the integers in the input at an index, or in an attribute, as in files of old opsets; `undefined` if both
 * are missing.
 */
export function listOf(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  node: NodeProto,
  attribute: string,
): readonly number[] | undefined {
  const input = inputs[index];
  return input === undefined ? intsAttribute(node, attribute) : Array.from(input.data);
}

/**
 * Returns the axes in the input at an index, or in the attribute `axes`, counted from 0; `undefined` if both are
 * missing. Negative axes count from the end. Throws a RangeError if an axis does not exist or is repeated.
 */
export function axesOf(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  rank: number,
  node: NodeProto,
): readonly number[] | undefined {
  const axes = listOf(inputs, index, node, "axes")?.map((axis) => axisOf(axis, rank, node));
  if (axes === undefined || new Set(axes).size === axes.length) return axes;
  throw refused(node, "its axes must be unique", axes.join(", "));
}
