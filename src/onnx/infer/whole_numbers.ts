/**
 * Inference rules for operators that compute shapes. Their integer values are computed, too.
 *
 * @module
 */

import { intAttribute } from "../codec/attributes.ts";
import { type ElementType, elementTypeOf } from "../codec/element_type.ts";
import { broadcastShapes } from "./broadcast_shapes.ts";
import {
  computed,
  type Fact,
  factOf,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  isComputed,
  type KnownShape,
  typeAmong,
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
  multiplyLengths,
  subtractLengths,
} from "./length.ts";

/** Computes one element of the result from the elements of the inputs; `undefined` if it is unknown. */
type Exact = (...values: readonly KnownLength[]) => KnownLength | undefined;

/** Returns the values of the result of an elementwise operator; `undefined` if the values of an input are unknown. */
function valuesOf(
  inputs: readonly (Fact | undefined)[],
  exact: Exact,
  type: ElementType | undefined,
  inferring: Inferring,
): KnownShape | undefined {
  const lists: KnownShape[] = [];
  let count = 1;
  for (const input of inputs) {
    if (input?.values === undefined) return undefined;
    lists.push(input.values);
    if (input.values.length !== 1) count = input.values.length;
  }
  return Array.from({ length: count }, (_, i) => {
    const row = lists.map((list) => list[list.length === 1 ? 0 : i] ?? 0);
    return computed(exact(...row), type, inferring);
  });
}

/**
 * Creates a rule that broadcasts the shapes, and computes the values of the result if those of the inputs are known.
 */
function arithmetic(exact: Exact): InferenceRule {
  return (inputs, _node, inferring) => {
    const type = typeAmong(inputs);
    const shape = broadcastShapes(inputs.map((input) => input?.shape), inferring);
    const values = isComputed(type) ? valuesOf(inputs, exact, type, inferring) : undefined;
    return [factOf(type, shape, values)];
  };
}

/** Returns a / b, truncated toward 0. Names are assumed to be lengths, which are not negative. */
function quotient(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (typeof a === "number" && typeof b === "number") {
    return b === 0 ? undefined : Math.trunc(a / b);
  }
  return divideLengths(a, b) ??
    (isNotNegative(a) && isNotNegative(b) ? floorDivideLengths(a, b) : undefined);
}

function remainder(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (typeof a !== "number" || typeof b !== "number") {
    return divideLengths(a, b) === undefined ? undefined : 0;
  }
  // For negative numbers the result depends on an attribute.
  return a >= 0 && b > 0 ? a % b : undefined;
}

/**
 * Returns 1 if two lengths are certainly equal, 0 if they certainly differ, and `undefined` otherwise, because
 * different names may have the same value.
 */
function isEqual(a: KnownLength, b: KnownLength): KnownLength | undefined {
  if (a === b) return 1;
  const difference = subtractLengths(a, b);
  return typeof difference === "number" ? Number(difference === 0) : undefined;
}

const equal: InferenceRule = (inputs, _node, inferring) => {
  const shape = broadcastShapes(inputs.map((input) => input?.shape), inferring);
  const values = valuesOf(inputs, (a = 0, b = 0) => isEqual(a, b), "i64", inferring);
  return [factOf("bool", shape, values)];
};

const where: InferenceRule = (inputs, _node, inferring) => {
  const [, a, b] = inputs;
  const shape = broadcastShapes(inputs.map((input) => input?.shape), inferring);
  const choose = (condition: KnownLength = "", x: KnownLength = 0, y: KnownLength = 0) =>
    x === y ? x : condition === 1 ? x : condition === 0 ? y : undefined;
  const type = typeAmong([a, b]);
  const values = isComputed(type) ? valuesOf(inputs, choose, type, inferring) : undefined;
  return [factOf(type, shape, values)];
};

function converted({ shape, values }: Fact, type: ElementType | undefined): Fact {
  const isKept = type === "i64" ||
    (type === "i32" &&
      values?.every((value) => typeof value === "string" || value === (value | 0)));
  return factOf(type, shape, isKept ? values : undefined);
}

const cast: InferenceRule = ([a = UNKNOWN], node) => [
  converted(a, elementTypeOf(intAttribute(node, "to", 0))),
];
const castLike: InferenceRule = ([a = UNKNOWN, b = UNKNOWN]) => [converted(a, b.type)];
const identity: InferenceRule = ([a = UNKNOWN]) => [a];

/** Rules for operators whose values are computed. */
export const WHOLE_NUMBERS: InferenceRules = {
  Add: arithmetic((a = 0, b = 0) => addLengths(a, b)),
  Sub: arithmetic((a = 0, b = 0) => subtractLengths(a, b)),
  Mul: arithmetic((a = 0, b = 0) => multiplyLengths(a, b)),
  Div: arithmetic((a = 0, b = 0) => quotient(a, b)),
  Mod: arithmetic((a = 0, b = 0) => remainder(a, b)),
  Neg: arithmetic((a = 0) => subtractLengths(0, a)),
  Max: arithmetic((...values) => values.reduce(maxLength)),
  Min: arithmetic((...values) => values.reduce(minLength)),
  Equal: equal,
  Where: where,
  Cast: cast,
  CastLike: castLike,
  Identity: identity,
};
