/**
 * Inference rules for operators that cut and join tensors.
 *
 * @module
 */

import { intAttribute } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import {
  axisOf,
  factOf,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  type KnownShape,
  numbersOf,
  UNKNOWN,
} from "./fact.ts";
import {
  addLengths,
  divideLengths,
  floorDivideLengths,
  isNotNegative,
  type KnownLength,
  maxLength,
  minLength,
  subtractLengths,
} from "./length.ts";

const concat: InferenceRule = (inputs, node, inferring) => {
  const type = inputs.find((input) => input?.type !== undefined)?.type;
  const shapes = inputs.map((input) => input?.shape);
  const first = shapes.find((shape) => shape !== undefined);
  if (first === undefined) return [factOf(type, undefined)];
  const axis = axisOf(intAttribute(node, "axis", 0), first.length, inferring);
  const shape = first.map((_, i) => {
    const lengths = shapes.map((each) => each?.[i]);
    if (i !== axis) return commonOf(lengths, i, inferring);
    return lengths.every((length) => length !== undefined)
      ? lengths.reduce(addLengths)
      : inferring.fresh();
  });
  const values = inputs.every((input) => input?.values !== undefined)
    ? inputs.flatMap((input) => input?.values ?? [])
    : undefined;
  return [factOf(type, shape, values)];
};

/**
 * Returns the common length of lengths that must be equal: a number if one of them is a number, otherwise a name of
 * the file in preference to a fresh name.
 */
function commonOf(
  lengths: readonly (KnownLength | undefined)[],
  axis: number,
  inferring: Inferring,
): KnownLength {
  const known = lengths.filter((length) => length !== undefined);
  const [number, other] = new Set(known.filter((length) => typeof length === "number"));
  if (other !== undefined) {
    inferring.contradiction(`lengths along axis ${axis} must be equal`, `${number} and ${other}`);
  }
  return number ?? known.find((length) => !`${length}`.includes("?")) ?? known[0] ??
    inferring.fresh();
}

const split: InferenceRule = ([a = UNKNOWN, given], node, inferring) => {
  const outputs = node.output.length;
  if (a.shape === undefined) return node.output.map(() => factOf(a.type, undefined));
  const axis = axisOf(intAttribute(node, "axis", 0), a.shape.length, inferring);
  const isGiven = (node.input[1] ?? "") !== "";
  const lengths = isGiven ? given?.values : evenly(a.shape[axis] ?? 1, node, outputs);
  // After a part of unknown length, the position of the next part is unknown.
  let at: number | undefined = 0;
  return node.output.map((_, i) => {
    const length = lengths?.[i] ?? inferring.fresh();
    const from: number | undefined = at;
    at = from === undefined || typeof length !== "number" ? undefined : from + length;
    const values = at === undefined ? undefined : a.values?.slice(from, at);
    return factOf(a.type, a.shape?.map((own, j) => j === axis ? length : own), values);
  });
};

/**
 * Returns the lengths of equal parts of an axis, of which the last one may be shorter; `undefined` if they are
 * unknown.
 */
function evenly(
  length: KnownLength,
  node: NodeProto,
  outputs: number,
): KnownShape | undefined {
  const count = intAttribute(node, "num_outputs", outputs);
  const part = divideLengths(length, count) ??
    (typeof length === "number" ? Math.ceil(length / count) : undefined);
  if (part === undefined) return undefined;
  const last = subtractLengths(length, typeof part === "number" ? part * (count - 1) : part);
  const isEven = divideLengths(length, count) !== undefined;
  return Array.from({ length: outputs }, (_, i) => i < count - 1 || isEven ? part : last);
}

/** Bounds and step of a slice along one axis. */
interface Cut {
  readonly start: KnownLength;
  readonly end: KnownLength;
  readonly step: number;
}

const slice: InferenceRule = ([a = UNKNOWN, starts, ends, axes, steps], node, inferring) => {
  const { shape } = a;
  if (shape === undefined) return [factOf(a.type, undefined)];
  const isOpen = (i: number) => (node.input[i] ?? "") === "";
  const count = starts?.values?.length ?? starts?.shape?.[0];
  const along = isOpen(3) ? undefined : numbersOf(axes);
  const by = isOpen(4) ? undefined : numbersOf(steps);
  if (typeof count !== "number" || (along === undefined && !isOpen(3))) {
    return [factOf(a.type, shape.map(() => inferring.fresh()))];
  }
  const result = [...shape];
  let values = a.values;
  for (let i = 0; i < count; i++) {
    const axis = axisOf(along?.[i] ?? i, shape.length, inferring);
    const [start, end] = [starts?.values?.[i], ends?.values?.[i]];
    const step = isOpen(4) ? 1 : by?.[i];
    const isKnown = start !== undefined && end !== undefined && step !== undefined && step !== 0;
    const length = shape[axis] ?? 1;
    const cut = isKnown ? { start, end, step } : undefined;
    result[axis] = cut === undefined
      ? inferring.fresh()
      : cutLength(length, cut) ?? inferring.fresh();
    values = cut && values && cutValues(values, cut);
  }
  return [factOf(a.type, result, values)];
};

/** Returns the length of an axis after a slice; `undefined` if it is unknown. */
function cutLength(length: KnownLength, { start, end, step }: Cut): KnownLength | undefined {
  const { from, to } = boundsOf(length, start, end, step < 0);
  if (from === undefined || to === undefined) return undefined;
  const reach = step < 0 ? subtractLengths(from, to) : subtractLengths(to, from);
  const size = Math.abs(step);
  const steps = floorDivideLengths(addLengths(reach, size - 1), size);
  return steps === undefined ? undefined : maxLength(0, steps);
}

/**
 * Returns the positions at which a slice starts and ends, clamped to the axis; `undefined` for an unknown position. A
 * start beyond the end of the axis and an end before its start are not clamped, because the slice is empty in any
 * case.
 */
function boundsOf(
  length: KnownLength,
  start: KnownLength,
  end: KnownLength,
  isBackward: boolean,
): { readonly from: KnownLength | undefined; readonly to: KnownLength | undefined } {
  const first = countedFromStart(start, length), last = countedFromStart(end, length);
  const most = isBackward ? subtractLengths(length, 1) : length;
  const upper = (at: KnownLength) => isHuge(at) ? most : minLength(at, most);
  // If the step is negative, a start before the first element means the first element, unlike in Python.
  const begin = (at: KnownLength) =>
    !isBackward ? maxLength(at, 0) : at === most ? most : upper(maxLength(at, 0));
  const stop = (at: KnownLength) => isBackward ? maxLength(at, -1) : upper(at);
  return {
    from: first === undefined ? undefined : begin(first),
    to: last === undefined ? undefined : stop(last),
  };
}

/** Returns whether an index is larger than any tensor. */
function isHuge(at: KnownLength): boolean {
  return typeof at === "number" && at >= 2 ** 31 - 1;
}

/**
 * Returns a bound as a position from the start of the axis. Returns `undefined` for a name whose value may be
 * negative, because negative bounds count from the end.
 */
function countedFromStart(bound: KnownLength, length: KnownLength): KnownLength | undefined {
  if (typeof bound === "string") return isNotNegative(bound) ? bound : undefined;
  if (bound < -(2 ** 31 - 1)) return -(2 ** 31);
  return bound < 0 ? addLengths(length, bound) : bound;
}

/** Returns the elements of `values` that a slice selects; `undefined` if its bounds are unknown. */
function cutValues(values: KnownShape, { start, end, step }: Cut): KnownShape | undefined {
  const { from, to } = boundsOf(values.length, start, end, step < 0);
  if (typeof from !== "number" || typeof to !== "number") return undefined;
  const left = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) left.push(values[i] ?? 0);
  return left;
}

const pad: InferenceRule = ([a = UNKNOWN, pads, , axes], node, inferring) => {
  const { shape } = a;
  if (shape === undefined) return [factOf(a.type, undefined)];
  const isSome = (node.input[3] ?? "") !== "";
  const along = isSome ? numbersOf(axes) : shape.map((_, i) => i);
  const values = pads?.values;
  if (along === undefined || values === undefined) {
    return [factOf(a.type, shape.map(() => inferring.fresh()))];
  }
  const result = [...shape];
  for (const [i, given] of along.entries()) {
    const axis = axisOf(given, shape.length, inferring);
    const [before = 0, after = 0] = [values[i], values[i + along.length]];
    result[axis] = addLengths(addLengths(result[axis] ?? 0, before), after);
  }
  return [factOf(a.type, result)];
};

/** Rules for operators that cut, join and pad tensors. */
export const SLICING: InferenceRules = { Concat: concat, Split: split, Slice: slice, Pad: pad };
