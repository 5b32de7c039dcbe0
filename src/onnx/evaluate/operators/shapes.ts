/**
 * Operators that read or change shapes.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { axesOf, axisOf, listOf, refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor, scalar, wholeNumbers } from "../plain_tensor.ts";

const shape: Evaluate = (inputs, node) => {
  const { dims } = required(inputs, 0, node);
  // Bounds beyond the axes are clamped, as `slice` does.
  const start = intAttribute(node, "start", 0), end = intAttribute(node, "end", dims.length);
  return [wholeNumbers(dims.slice(start, end))];
};

const reshape: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const wanted = listOf(inputs, 1, node, "shape") ?? [];
  const keepsZeros = intAttribute(node, "allowzero", 0) === 1;
  const dims = wanted.map((length, axis) =>
    length === 0 && !keepsZeros ? x.dims[axis] ?? 0 : length
  );
  const free = dims.indexOf(-1);
  if (free !== -1) dims[free] = x.data.length / countOf(dims.toSpliced(free, 1));
  return [inShape(x, dims, node, `[${wanted}]`)];
};

/**
 * Returns the elements of x in another shape. Throws a RangeError if the number of elements differs; the message
 * contains `wanted`.
 */
function inShape(x: PlainTensor, dims: readonly number[], node: NodeProto, wanted = `[${dims}]`) {
  const areLengths = dims.every((length) => Number.isInteger(length) && length >= 0);
  if (areLengths && countOf(dims) === x.data.length) return { ...x, dims };
  throw refused(node, `its shape must have the number of elements of [${x.dims}]`, wanted);
}

const flatten: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), rank = x.dims.length;
  const axis = intAttribute(node, "axis", 1);
  // The position after the last axis is valid here.
  const cut = axis === rank ? rank : axisOf(axis, rank, node);
  return [{ ...x, dims: [countOf(x.dims.slice(0, cut)), countOf(x.dims.slice(cut))] }];
};

const squeeze: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const axes = axesOf(inputs, 1, x.dims.length, node);
  const isGone = (length: number, axis: number) => axes ? axes.includes(axis) : length === 1;
  return [inShape(x, x.dims.filter((length, axis) => !isGone(length, axis)), node)];
};

const unsqueeze: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const count = (listOf(inputs, 1, node, "axes") ?? []).length;
  const axes = axesOf(inputs, 1, x.dims.length + count, node) ?? [];
  const rest = x.dims.values();
  const dims = Array.from(
    { length: x.dims.length + count },
    (_, axis) => axes.includes(axis) ? 1 : rest.next().value!,
  );
  return [{ ...x, dims }];
};

/** Evaluates Dropout, which in inference returns its input unchanged. */
const dropout: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  if (inputs[2]?.data[0] === 1 && inputs[1]?.data[0] !== 0) {
    throw refused(
      node,
      "it must not be in training mode, in which it is random",
      "training_mode = true",
    );
  }
  return [x, { type: "bool", dims: x.dims, data: allocate(x.data.length).fill(1) }];
};

/** Implementations of operators that read or change shapes, by operator. */
export const SHAPES: Operators = {
  Dropout: dropout,
  Flatten: flatten,
  Identity: (inputs, node) => [required(inputs, 0, node)],
  Reshape: reshape,
  Shape: shape,
  Size: (inputs, node) => [scalar("i64", required(inputs, 0, node).data.length)],
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
};
