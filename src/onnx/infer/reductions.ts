/**
 * Inference rules for sums, means and extremes over axes.
 *
 * @module
 */

import { intAttribute, intsAttribute } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import {
  axisOf,
  computed,
  type Fact,
  factOf,
  freshShape,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  isComputed,
  type KnownShape,
  numbersOf,
  UNKNOWN,
} from "./fact.ts";
import { addLengths, type KnownLength, maxLength, minLength, multiplyLengths } from "./length.ts";

type Fold = (a: KnownLength, b: KnownLength) => KnownLength;

/**
 * Creates a rule for a reduction over the axes in the second input or in an attribute. With `fold`, which combines
 * two elements, the rule also computes the value of a reduction over all axes.
 */
function reduction(fold?: Fold): InferenceRule {
  return ([a = UNKNOWN, given], node, inferring) => {
    const keeps = intAttribute(node, "keepdims", 1) !== 0;
    const axes = axesOf(node, given);
    const shape = axes === undefined
      ? unknownAxes(a.shape, given, keeps, inferring)
      : reduced(a.shape, axes, keeps, node, inferring);
    const isAll = axes !== undefined && (axes.length > 0 || !leavesAll(node));
    const [first, ...rest] = isAll && isComputed(a.type) ? a.values ?? [] : [];
    if (first === undefined || fold === undefined) return [factOf(a.type, shape)];
    return [factOf(a.type, shape, [computed(rest.reduce(fold, first), a.type, inferring)])];
  };
}

function axesOf(node: NodeProto, given: Fact | undefined): readonly number[] | undefined {
  if ((node.input[1] ?? "") !== "") return numbersOf(given);
  return intsAttribute(node, "axes") ?? [];
}

/** Returns whether a reduction without axes returns its input, instead of reducing over all axes. */
function leavesAll(node: NodeProto): boolean {
  return intAttribute(node, "noop_with_empty_axes", 0) !== 0;
}

function reduced(
  shape: KnownShape | undefined,
  axes: readonly number[],
  keeps: boolean,
  node: NodeProto,
  inferring: Inferring,
): KnownShape | undefined {
  if (axes.length === 0 && leavesAll(node)) return shape;
  if (shape === undefined) return axes.length === 0 && !keeps ? [] : undefined;
  const gone = axes.map((axis) => axisOf(axis, shape.length, inferring));
  const isGone = (i: number) => axes.length === 0 || gone.includes(i);
  return keeps
    ? shape.map((length, i) => isGone(i) ? 1 : length)
    : shape.filter((_, i) => !isGone(i));
}

function unknownAxes(
  shape: KnownShape | undefined,
  given: Fact | undefined,
  keeps: boolean,
  inferring: Inferring,
): KnownShape | undefined {
  const count = given?.shape?.[0];
  if (shape === undefined) return undefined;
  if (keeps) return freshShape(shape.length, inferring);
  const isSome = typeof count === "number" && count > 0;
  return isSome ? freshShape(shape.length - count, inferring) : undefined;
}

const place: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const keeps = intAttribute(node, "keepdims", 1) !== 0;
  return [factOf("i64", reduced(a.shape, [intAttribute(node, "axis", 0)], keeps, node, inferring))];
};

/** Rules for reductions. */
export const REDUCTIONS: InferenceRules = {
  ReduceSum: reduction(addLengths),
  ReduceProd: reduction(multiplyLengths),
  ReduceMax: reduction(maxLength),
  ReduceMin: reduction(minLength),
  ReduceMean: reduction(),
  ReduceL1: reduction(),
  ReduceL2: reduction(),
  ReduceSumSquare: reduction(),
  ReduceLogSum: reduction(),
  ReduceLogSumExp: reduction(),
  ArgMax: place,
  ArgMin: place,
};
