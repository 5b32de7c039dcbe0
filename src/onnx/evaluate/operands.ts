/**
 * Inputs of nodes that operators insist on.
 *
 * @module
 */

import { intsAttribute } from "../codec/attributes.ts";
import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** An input that must not be left out. Throws a TypeError where it is. */
export function required(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  node: NodeProto,
): PlainTensor {
  const found = inputs[index];
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot evaluate ${showNode(node)} as it must have an input ${index}: current value is none`,
  );
}

/** An axis counted from the front. Throws a RangeError for one that there is not. */
export function axisOf(axis: number, rank: number, node: NodeProto): number {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw refused(node, `an axis must be from ${-rank} to ${rank - 1}`, axis);
}

/** For inputs and attributes that a node can do nothing with. */
export function refused(node: NodeProto, requirement: string, value: unknown): RangeError {
  return new RangeError(
    `Cannot evaluate ${showNode(node)} as ${requirement}: current value is ${value}`,
  );
}

/** A list of whole numbers: an input, or in old files an attribute; `undefined` without. */
export function listOf(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  node: NodeProto,
  attribute: string,
): readonly number[] | undefined {
  const input = inputs[index];
  return input === undefined ? intsAttribute(node, attribute) : Array.from(input.data);
}

/** Axes counted from the front. Throws a RangeError for one that there is not, or is there twice. */
export function axesOf(
  inputs: readonly (PlainTensor | undefined)[],
  index: number,
  rank: number,
  node: NodeProto,
): readonly number[] | undefined {
  const axes = listOf(inputs, index, node, "axes")?.map((axis) => axisOf(axis, rank, node));
  if (axes === undefined || new Set(axes).size === axes.length) return axes;
  throw refused(node, "its axes must be different", axes.join(", "));
}
