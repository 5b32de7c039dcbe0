/**
 * Inputs of nodes that operators insist on.
 *
 * @module
 */

import { showNode } from "../check_model.ts";
import type { NodeProto } from "../messages.ts";
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
