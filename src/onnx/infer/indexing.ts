/**
 * Inference rules for operators that select elements by index.
 *
 * @module
 */

import { intAttribute } from "../codec/attributes.ts";
import {
  axisOf,
  factOf,
  freshShape,
  type InferenceRule,
  type InferenceRules,
  type KnownShape,
  numbersOf,
  UNKNOWN,
} from "./fact.ts";
import { multiplyLengths } from "./length.ts";

const gather: InferenceRule = ([a = UNKNOWN, indices = UNKNOWN], node, inferring) => {
  if (a.shape === undefined || indices.shape === undefined) return [factOf(a.type, undefined)];
  const axis = axisOf(intAttribute(node, "axis", 0), a.shape.length, inferring);
  const shape = [...a.shape.slice(0, axis), ...indices.shape, ...a.shape.slice(axis + 1)];
  const places = numbersOf(indices), from = a.values;
  const values = places && from?.length !== 0 && a.shape.length === 1
    ? places.map((place) => from?.[place < 0 ? place + from.length : place])
    : undefined;
  return [
    factOf(a.type, shape, values?.every((value) => value !== undefined) ? values : undefined),
  ];
};

const gatherElements: InferenceRule = ([a = UNKNOWN, indices = UNKNOWN]) => [
  factOf(a.type, indices.shape),
];

const gatherNd: InferenceRule = ([a = UNKNOWN, indices = UNKNOWN], node) => {
  const depth = indices.shape?.at(-1);
  if (a.shape === undefined || indices.shape === undefined || typeof depth !== "number") {
    return [factOf(a.type, undefined)];
  }
  const batch = intAttribute(node, "batch_dims", 0);
  return [factOf(a.type, [...indices.shape.slice(0, -1), ...a.shape.slice(batch + depth)])];
};

const topK: InferenceRule = ([a = UNKNOWN, k = UNKNOWN], node, inferring) => {
  if (a.shape === undefined) return [factOf(a.type, undefined), factOf("i64", undefined)];
  const axis = axisOf(intAttribute(node, "axis", -1), a.shape.length, inferring);
  const shape = replaced(a.shape, axis, k.values?.[0] ?? inferring.fresh());
  return [factOf(a.type, shape), factOf("i64", shape)];
};

function replaced(shape: KnownShape, axis: number, length: KnownShape[number]): KnownShape {
  return shape.map((own, i) => i === axis ? length : own);
}

const nonZero: InferenceRule = ([a = UNKNOWN], _node, inferring) => [
  factOf("i64", [a.shape?.length ?? inferring.fresh(), inferring.fresh()]),
];

const compress: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const isFlat = node.attribute.every(({ name }) => name !== "axis");
  if (isFlat) return [factOf(a.type, [inferring.fresh()])];
  if (a.shape === undefined) return [factOf(a.type, undefined)];
  const axis = axisOf(intAttribute(node, "axis", 0), a.shape.length, inferring);
  return [factOf(a.type, replaced(a.shape, axis, inferring.fresh()))];
};

const unique: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const count = inferring.fresh();
  const isFlat = node.attribute.every(({ name }) => name !== "axis");
  const axis = intAttribute(node, "axis", 0);
  const shape = isFlat
    ? [count]
    : a.shape && replaced(a.shape, axisOf(axis, a.shape.length, inferring), count);
  const whole = a.shape?.reduce(multiplyLengths, 1);
  const long = isFlat ? whole : a.shape?.at(axis);
  return [
    factOf(a.type, shape),
    factOf("i64", [count]),
    factOf("i64", long === undefined ? freshShape(1, inferring) : [long]),
    factOf("i64", [count]),
  ];
};

/** Rules for operators that select elements. */
export const INDEXING: InferenceRules = {
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherNd,
  TopK: topK,
  NonZero: nonZero,
  Compress: compress,
  Unique: unique,
};
