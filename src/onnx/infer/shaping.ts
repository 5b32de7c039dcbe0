/**
 * Inference rules for operators that reshape, permute or repeat tensors.
 *
 * @module
 */

import { intAttribute, intsAttribute } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import { broadcastShapes } from "./broadcast_shapes.ts";
import {
  axisOf,
  type Fact,
  factOf,
  freshShape,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  isRank,
  type KnownShape,
  MOST_VALUES,
  numbersOf,
  UNKNOWN,
} from "./fact.ts";
import { shapeOfValues } from "./generators.ts";
import {
  divideLengths,
  isNotNegative,
  type KnownLength,
  multiplyLengths,
  productOf,
} from "./length.ts";

const reshape: InferenceRule = ([a = UNKNOWN, to = UNKNOWN], node, inferring) => {
  if (to.values === undefined) return [factOf(a.type, shapeOfValues(to, inferring), a.values)];
  const copies = intAttribute(node, "allowzero", 0) === 0;
  const wanted = to.values.map((length, i) =>
    length === 0 && copies ? a.shape === undefined ? inferring.fresh() : a.shape[i] ?? 0 : length
  );
  const open = wanted.flatMap((length, i) => isOpen(length) ? [i] : []);
  const [first] = open;
  if (first === undefined) checkCount(a.shape, wanted, inferring);
  else {
    const others = wanted.toSpliced(first, 1);
    // A computed length of −1 can be resolved only if no other length may be 0.
    const isTold = open.length === 1 &&
      (wanted[first] === -1 || others.every((length) => typeof length === "number"));
    for (const i of open) {
      wanted[i] = isTold ? remaining(a.shape, others, inferring) : inferring.fresh();
    }
  }
  return [factOf(a.type, wanted, a.values)];
};

/** Returns whether a length in the shape of a Reshape is −1, or may be −1 depending on the values of its names. */
function isOpen(length: KnownLength): boolean {
  return length === -1 || (typeof length === "string" && !isNotNegative(length));
}

/** Returns the length for which −1 stands in the shape `wanted` of a Reshape. */
function remaining(
  shape: KnownShape | undefined,
  wanted: KnownShape,
  inferring: Inferring,
): KnownLength {
  // An empty tensor fits any length.
  if (shape === undefined || wanted.includes(0)) return inferring.fresh();
  const rest = [...shape];
  // Cancel equal lengths first, so that names that are 0 at run time do no harm.
  const others = wanted.filter((length) => {
    const at = rest.indexOf(length);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
  const [count, divisor] = [productOf(rest), productOf(others)];
  const length = divideLengths(count, divisor);
  if (length !== undefined) return length;
  if (divisor === 0 || typeof count === "string" || typeof divisor === "string") {
    return inferring.fresh();
  }
  return inferring.contradiction(
    "the number of elements must not change",
    `[${shape}] as [${wanted}, -1]`,
  );
}

function checkCount(shape: KnownShape | undefined, wanted: KnownShape, inferring: Inferring): void {
  if (shape === undefined) return;
  const [count, needed] = [productOf(shape), productOf(wanted)];
  if (count === needed || typeof count === "string" || typeof needed === "string") return;
  inferring.contradiction("the number of elements must not change", `[${shape}] as [${wanted}]`);
}

const flatten: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  if (a.shape === undefined) return [factOf(a.type, freshShape(2, inferring))];
  const axis = intAttribute(node, "axis", 1), at = axis < 0 ? axis + a.shape.length : axis;
  return [factOf(a.type, [productOf(a.shape.slice(0, at)), productOf(a.shape.slice(at))])];
};

/**
 * Returns the axes of a node from an input, or from an attribute before opset 13; `undefined` if they are omitted or
 * unknown.
 */
function axesOf(node: NodeProto, axes: Fact | undefined): readonly number[] | undefined {
  return (node.input[1] ?? "") === "" ? intsAttribute(node, "axes") : numbersOf(axes);
}

const squeeze: InferenceRule = ([a = UNKNOWN, given], node, inferring) => {
  const { shape } = a;
  if (shape === undefined) return [factOf(a.type, undefined)];
  const axes = axesOf(node, given);
  if (axes !== undefined) {
    const gone = axes.map((axis) => axisOf(axis, shape.length, inferring));
    return [factOf(a.type, shape.filter((_, i) => !gone.includes(i)), a.values)];
  }
  const isGiven = (node.input[1] ?? "") !== "";
  const count = given?.shape?.[0];
  if (isGiven) {
    const rank = typeof count === "number" ? shape.length - count : undefined;
    return [factOf(a.type, rank === undefined ? undefined : freshShape(rank, inferring))];
  }
  const isKnown = shape.every((length) => typeof length === "number");
  return [factOf(a.type, isKnown ? shape.filter((length) => length !== 1) : undefined, a.values)];
};

const unsqueeze: InferenceRule = ([a = UNKNOWN, given], node, inferring) => {
  if (a.shape === undefined) return [factOf(a.type, undefined)];
  const axes = axesOf(node, given);
  if (axes === undefined) {
    const count = given?.shape?.[0];
    const shape = isRank(count) ? freshShape(a.shape.length + count, inferring) : undefined;
    return [factOf(a.type, shape)];
  }
  const rank = a.shape.length + axes.length;
  const added = axes.map((axis) => axisOf(axis, rank, inferring));
  const rest = [...a.shape];
  const shape = Array.from({ length: rank }, (_, i) => added.includes(i) ? 1 : rest.shift() ?? 1);
  return [factOf(a.type, shape, a.values)];
};

const transpose: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const { shape } = a, order = intsAttribute(node, "perm");
  if (shape === undefined) {
    return [factOf(a.type, order && freshShape(order.length, inferring))];
  }
  if (order === undefined) return [factOf(a.type, shape.toReversed(), a.values)];
  if (order.length !== shape.length) {
    inferring.contradiction(`perm must have ${shape.length} axes`, `[${order}]`);
  }
  const axes = order.map((axis) => axisOf(axis, shape.length, inferring));
  return [factOf(a.type, axes.map((axis) => shape[axis] ?? 1), a.values)];
};

const expand: InferenceRule = ([a = UNKNOWN, to = UNKNOWN], _node, inferring) => {
  const shape = broadcastShapes([a.shape, shapeOfValues(to, inferring)], inferring);
  const isOne = a.values?.length === 1 && shape?.length === 1;
  const count = isOne ? shape[0] : undefined;
  const values = typeof count === "number" && count <= MOST_VALUES
    ? new Array<KnownLength>(count).fill(a.values?.[0] ?? 0)
    : a.values;
  return [factOf(a.type, shape, values)];
};

const tile: InferenceRule = ([a = UNKNOWN, repeats = UNKNOWN], _node, inferring) => {
  if (a.shape === undefined) {
    return [factOf(a.type, shapeOfValues(repeats, inferring)?.map(() => inferring.fresh()))];
  }
  const shape = a.shape.map((length, i) => {
    const times = repeats.values?.[i];
    return times === undefined ? inferring.fresh() : multiplyLengths(length, times);
  });
  return [factOf(a.type, shape)];
};

/**
 * Creates a rule for DepthToSpace, or for SpaceToDepth if `isToDepth` is true. They move blocks of pixels between the
 * channels and the plane.
 */
function blocks(isToDepth: boolean): InferenceRule {
  return ([a = UNKNOWN], node, inferring) => {
    const [n, c, h, w] = a.shape ?? [];
    if (n === undefined || c === undefined || h === undefined || w === undefined) {
      return [factOf(a.type, freshShape(4, inferring))];
    }
    const side = intAttribute(node, "blocksize", 1);
    const less = (length: KnownLength, by: number) =>
      divideLengths(length, by) ?? inferring.fresh();
    const shape = isToDepth
      ? [n, multiplyLengths(c, side * side), less(h, side), less(w, side)]
      : [n, less(c, side * side), multiplyLengths(h, side), multiplyLengths(w, side)];
    return [factOf(a.type, shape)];
  };
}

/** Rules for operators that rearrange elements. */
export const SHAPING: InferenceRules = {
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: transpose,
  Expand: expand,
  Tile: tile,
  DepthToSpace: blocks(false),
  SpaceToDepth: blocks(true),
};
