/**
 * Operators that reorder elements.
 *
 * @module
 */

import { intAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { permuted } from "../lines.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf } from "../plain_tensor.ts";
import { stridesOf } from "../strides.ts";

/** Shape of a tensor of images, and the side length of the blocks that move between space and channels. */
type Image = readonly [
  images: number,
  channels: number,
  rows: number,
  columns: number,
  block: number,
];

function imageOf(node: NodeProto, dims: readonly number[]): Image {
  const [n, c, h, w, ...rest] = dims, block = intAttribute(node, "blocksize", 1);
  if (w !== undefined && rest.length === 0 && block > 0) return [n!, c!, h!, w, block];
  throw refused(
    node,
    "its input must have 4 axes, and its blocksize must be positive",
    `[${dims}] by ${block}`,
  );
}

const depthToSpace: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), { type, data } = x;
  const [n, c, h, w, block] = imageOf(node, x.dims), channels = c / block ** 2;
  if (!Number.isInteger(channels)) {
    throw refused(node, `its number of channels must be divisible by ${block ** 2}`, `${c}`);
  }
  const moved = textAttribute(node, "mode", "DCR") === "DCR"
    ? permuted({ type, dims: [n, block, block, channels, h, w], data }, [0, 3, 4, 1, 5, 2])
    : permuted({ type, dims: [n, channels, block, block, h, w], data }, [0, 1, 4, 2, 5, 3]);
  return [{ type, dims: [n, channels, h * block, w * block], data: moved.data }];
};

/** Evaluates SpaceToDepth. The attribute `mode` exists from opset 28 on; earlier versions always use its default. */
const spaceToDepth: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), { type, data } = x;
  const [n, c, h, w, block] = imageOf(node, x.dims), [rows, columns] = [h / block, w / block];
  if (!Number.isInteger(rows) || !Number.isInteger(columns)) {
    throw refused(node, `the size of its images must be divisible by ${block}`, `[${x.dims}]`);
  }
  const isDepthFirst = textAttribute(node, "mode", "DCR") === "DCR";
  const order = isDepthFirst ? [0, 3, 5, 1, 2, 4] : [0, 1, 3, 5, 2, 4];
  const moved = permuted({ type, dims: [n, c, rows, block, columns, block], data }, order);
  return [{ type, dims: [n, c * block ** 2, rows, columns], data: moved.data }];
};

/**
 * Evaluates ReverseSequence: reverses as many leading elements of each sequence as its length tells, and keeps the
 * others.
 */
const reverseSequence: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node), lengths = required(inputs, 1, node).data;
  const time = intAttribute(node, "time_axis", 0), batch = intAttribute(node, "batch_axis", 1);
  if (time + batch !== 1) {
    throw refused(node, "its axes must be 0 and 1", `time_axis ${time}, batch_axis ${batch}`);
  }
  const size = countOf(dims.slice(2));
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

/** Implementations of DepthToSpace, SpaceToDepth and ReverseSequence. */
export const REARRANGING: Operators = {
  DepthToSpace: depthToSpace,
  ReverseSequence: reverseSequence,
  SpaceToDepth: spaceToDepth,
};
