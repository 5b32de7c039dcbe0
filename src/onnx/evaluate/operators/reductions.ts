/**
 * Sums, means and extremes along axes.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute } from "../../codec/attributes.ts";

import { around, permuted } from "../lines.ts";
import { axesOf, axisOf, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { greatestOf, isWhole, leastOf, wrap } from "./rounding.ts";

/** Reduces `n` numbers of `data`, starting at index `at`, to one number. `x` is the tensor that is reduced. */
type Reducer = (data: Float64Array, at: number, n: number, x: PlainTensor) => number;

const sum: Reducer = (data, at, n) => {
  let total = 0;
  for (let i = at; i < at + n; i++) total += data[i]!;
  return total;
};

const product: Reducer = (data, at, n) => {
  let total = 1;
  for (let i = at; i < at + n; i++) total *= data[i]!;
  return total;
};

const sumOfSizes: Reducer = (data, at, n) => {
  let total = 0;
  for (let i = at; i < at + n; i++) total += Math.abs(data[i]!);
  return total;
};

const sumOfSquares: Reducer = (data, at, n) => {
  let total = 0;
  for (let i = at; i < at + n; i++) total += data[i]! * data[i]!;
  return total;
};

/**
 * Returns the maximum. It is NaN if any element is NaN, and the smallest value of the element type if there are no
 * elements.
 */
const greatest: Reducer = (data, at, n, { type }) => {
  let most = type === "bool" ? 0 : leastOf(type);
  for (let i = at; i < at + n; i++) most = Math.max(most, data[i]!);
  return most;
};

const least: Reducer = (data, at, n, { type }) => {
  let most = type === "bool" ? 1 : greatestOf(type);
  for (let i = at; i < at + n; i++) most = Math.min(most, data[i]!);
  return most;
};

/** Returns log Σ exp x. The maximum is subtracted first, so that the exponentials do not overflow. */
const logSumExp: Reducer = (data, at, n) => {
  let most = -Infinity, total = 0;
  for (let i = at; i < at + n; i++) most = Math.max(most, data[i]!);
  if (!Number.isFinite(most)) return most;
  for (let i = at; i < at + n; i++) total += Math.exp(data[i]! - most);
  return most + Math.log(total);
};

/** Reduces a tensor along some axes. The axes are removed, or get length 1 if `keeps` is true. */
function reduced(x: PlainTensor, axes: ReadonlySet<number>, keeps: boolean, reducer: Reducer) {
  const all = x.dims.map((_, axis) => axis);
  const kept = all.filter((axis) => !axes.has(axis)), gone = all.filter((axis) => axes.has(axis));
  const { data: from } = permuted(x, [...kept, ...gone]);
  const n = countOf(gone.map((axis) => x.dims[axis]!));
  const data = allocate(countOf(kept.map((axis) => x.dims[axis]!)));
  for (let i = 0; i < data.length; i++) data[i] = reducer(from, i * n, n, x);
  const dims = keeps
    ? x.dims.map((length, axis) => axes.has(axis) ? 1 : length)
    : kept.map((axis) => x.dims[axis]!);
  return { type: x.type, dims, data: isWhole(x.type) ? wrap(x.type, data.map(Math.trunc)) : data };
}

/**
 * Creates an operator that reduces along the axes in its second input, or in an attribute in files of old opsets. By
 * default, it reduces along all axes.
 */
function reduction(reducer: Reducer): Evaluate {
  return (inputs, node) => {
    const x = required(inputs, 0, node), rank = x.dims.length;
    const given = axesOf(inputs, 1, rank, node) ?? [];
    // Without axes each element is reduced by itself: ReduceSumSquare still squares it.
    const isOverNone = intAttribute(node, "noop_with_empty_axes", 0) === 1;
    const axes = new Set(given.length > 0 || isOverNone ? given : x.dims.keys());
    return [reduced(x, axes, intAttribute(node, "keepdims", 1) === 1, reducer)];
  };
}

/**
 * Creates an operator that returns the index of the largest or smallest element along an axis, as `isBefore` decides.
 * NaN takes precedence over all numbers.
 */
function argument(isBefore: (a: number, b: number) => boolean): Evaluate {
  return (inputs, node) => {
    const x = required(inputs, 0, node);
    const axis = axisOf(intAttribute(node, "axis", 0), x.dims.length, node);
    const takesLast = intAttribute(node, "select_last_index", 0) === 1;
    const keeps = intAttribute(node, "keepdims", 1) === 1;
    const place: Reducer = (data, at, n) => {
      let best = at;
      for (let i = at + 1; i < at + n; i++) {
        const value = data[i]!, before = data[best]!;
        if (isFurther(value, before) || (takesLast && !isFurther(before, value))) best = i;
      }
      return best - at;
    };
    const isFurther = (a: number, b: number) => isBefore(a, b) || (a !== a && b === b);
    return [{ ...reduced({ ...x, type: "i64" }, new Set([axis]), keeps, place), type: "i64" }];
  };
}

/** Evaluates CumSum along the axis in its second input. */
const cumulativeSum: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const axis = axisOf(required(inputs, 1, node).data[0] ?? NaN, x.dims.length, node);
  const isExclusive = intAttribute(node, "exclusive", 0) === 1;
  const isBackward = intAttribute(node, "reverse", 0) === 1;
  const { outer, length, inner } = around(x.dims, axis);
  const data = allocate(x.data.length);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      let total = 0;
      for (let step = 0; step < length; step++) {
        const at = (o * length + (isBackward ? length - 1 - step : step)) * inner + i;
        const next = total + x.data[at]!;
        data[at] = isExclusive ? total : next;
        total = next;
      }
    }
  }
  return [{ type: x.type, dims: x.dims, data: wrap(x.type, data) }];
};

/** Implementations of reductions, ArgMax, ArgMin and CumSum, by operator. */
export const REDUCTIONS: Operators = {
  ArgMax: argument((a, b) => a > b),
  ArgMin: argument((a, b) => a < b),
  CumSum: cumulativeSum,
  ReduceL1: reduction(sumOfSizes),
  ReduceL2: reduction((data, at, n, x) => Math.sqrt(sumOfSquares(data, at, n, x))),
  ReduceLogSum: reduction((data, at, n, x) => Math.log(sum(data, at, n, x))),
  ReduceLogSumExp: reduction(logSumExp),
  ReduceMax: reduction(greatest),
  ReduceMean: reduction((data, at, n, x) => sum(data, at, n, x) / n),
  ReduceMin: reduction(least),
  ReduceProd: reduction(product),
  ReduceSum: reduction(sum),
  ReduceSumSquare: reduction(sumOfSquares),
};
