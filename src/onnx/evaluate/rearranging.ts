/**
 * Operators that put elements into another order.
 *
 * @module
 */

import { intAttribute, textAttribute } from "../attributes.ts";
import type { NodeProto } from "../messages.ts";
import { countBetween } from "./around.ts";
import { gather, stridesOf } from "./strides.ts";
import { refused, required } from "./operands.ts";
import type { Evaluate, Operators } from "./operator.ts";

/** Elements of a tensor of these lengths with its axes in another order. */
function permuted(data: Float64Array, dims: readonly number[], order: readonly number[]) {
  const strides = stridesOf(dims);
  return gather(
    { data, strides: order.map((axis) => strides[axis]!) },
    order.map((axis) => dims[axis]!),
  );
}

/** Lengths of an image, and the length of the blocks that it is parted into or put together from. */
function imageOf(node: NodeProto, dims: readonly number[]): number[] {
  const block = intAttribute(node, "blocksize", 1);
  if (dims.length === 4 && block > 0) return [...dims, block];
  throw refused(node, "it must have images of 4 axes, and a blocksize", `[${dims}] by ${block}`);
}

const depthToSpace: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const [n, c, h, w, block] = imageOf(node, dims) as [number, number, number, number, number];
  const channels = c / block ** 2;
  if (!Number.isInteger(channels)) {
    throw refused(node, `its channels must be parted by ${block ** 2}`, `${c}`);
  }
  const moved = textAttribute(node, "mode", "DCR") === "DCR"
    ? permuted(data, [n, block, block, channels, h, w], [0, 3, 4, 1, 5, 2])
    : permuted(data, [n, channels, block, block, h, w], [0, 1, 4, 2, 5, 3]);
  return [{ type, dims: [n, channels, h * block, w * block], data: moved }];
};

const spaceToDepth: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const [n, c, h, w, block] = imageOf(node, dims) as [number, number, number, number, number];
  if (h % block !== 0 || w % block !== 0) {
    throw refused(node, `its image must be parted by ${block}`, `[${dims}]`);
  }
  const lengths = [n, c, h / block, block, w / block, block];
  // Opset 28 has the mode; before it was always the default.
  const isDepthFirst = textAttribute(node, "mode", "DCR") === "DCR";
  const order = isDepthFirst ? [0, 3, 5, 1, 2, 4] : [0, 1, 3, 5, 2, 4];
  const moved = permuted(data, lengths, order);
  return [{ type, dims: [n, c * block ** 2, h / block, w / block], data: moved }];
};

/** Turns the first elements of each sequence round: as many as its length says. */
const reverseSequence: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node), lengths = required(inputs, 1, node).data;
  const time = intAttribute(node, "time_axis", 0), batch = intAttribute(node, "batch_axis", 1);
  if (time + batch !== 1) {
    throw refused(node, "its axes must be 0 and 1", `time_axis ${time}, batch_axis ${batch}`);
  }
  const size = countBetween(dims, 2, dims.length);
  const strides = stridesOf(dims), turned = data.slice();
  for (let sequence = 0; sequence < dims[batch]!; sequence++) {
    const length = lengths[sequence]!, start = sequence * strides[batch]!;
    for (let i = 0; i < length; i++) {
      const from = start + (length - 1 - i) * strides[time]!;
      turned.set(data.subarray(from, from + size), start + i * strides[time]!);
    }
  }
  return [{ type, dims, data: turned }];
};

/** DepthToSpace, SpaceToDepth and ReverseSequence. */
export const REARRANGING: Operators = {
  DepthToSpace: depthToSpace,
  ReverseSequence: reverseSequence,
  SpaceToDepth: spaceToDepth,
};
