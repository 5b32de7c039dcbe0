/**
 * Inference rules for operators that create tensors from shapes and numbers.
 *
 * @module
 */

import { attributeOf, intAttribute, intsAttribute } from "../codec/attributes.ts";
import { type ElementType, elementTypeOf } from "../codec/element_type.ts";
import type { NodeProto, TensorProto } from "../codec/messages.ts";
import { elementCount, isExternal, tensorValues } from "../codec/tensor_proto.ts";
import {
  type Fact,
  factOf,
  freshShape,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  isRank,
  type KnownShape,
  MOST_VALUES,
  UNKNOWN,
} from "./fact.ts";
import {
  addLengths,
  divideLengths,
  floorDivideLengths,
  type KnownLength,
  maxLength,
  productOf,
  subtractLengths,
} from "./length.ts";

const shape: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  if (a.shape === undefined) return [factOf("i64", [inferring.fresh()])];
  const rank = a.shape.length;
  const at = (value: number) => Math.min(Math.max(value < 0 ? value + rank : value, 0), rank);
  const start = at(intAttribute(node, "start", 0)), end = at(intAttribute(node, "end", rank));
  const values = a.shape.slice(start, Math.max(start, end));
  return [factOf("i64", [values.length], values)];
};

const size: InferenceRule = ([a = UNKNOWN], _node, inferring) => [
  factOf("i64", [], [a.shape === undefined ? inferring.fresh() : productOf(a.shape)]),
];

/** Returns the shape whose lengths are the elements of a tensor; `undefined` if even the number of axes is unknown. */
export function shapeOfValues(fact: Fact, inferring: Inferring): KnownShape | undefined {
  if (fact.values !== undefined) return fact.values;
  const rank = fact.shape?.[0];
  return isRank(rank) ? freshShape(rank, inferring) : undefined;
}

const constantOfShape: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const tensor = attributeOf(node, "value")?.t;
  const type = tensor === undefined ? "f32" : elementTypeOf(tensor.dataType);
  const lengths = shapeOfValues(a, inferring);
  const count = lengths?.length === 0 ? 1 : lengths?.length === 1 ? lengths[0] : undefined;
  const isSmall = (type === "i64" || type === "i32") && typeof count === "number" &&
    count <= MOST_VALUES && tensor !== undefined;
  const value = isSmall ? numberOfTensor(tensor) : undefined;
  const values = value === undefined ? undefined : new Array<number>(Number(count)).fill(value);
  return [factOf(type, lengths, values)];
};

function numberOfTensor(tensor: TensorProto | undefined): number | undefined {
  if (tensor === undefined || elementCount(tensor) !== 1 || isExternal(tensor)) return undefined;
  return Number(tensorValues(tensor)[0]);
}

const range: InferenceRule = ([start, limit, delta], node, inferring) => {
  const type = start?.type ?? limit?.type ?? delta?.type;
  const [a, b, step] = [start, limit, delta].map((fact, i) =>
    bound(fact, node, i, type, inferring)
  );
  const count = countOf(a, b, step) ?? inferring.fresh();
  const isSmall = typeof count === "number" && count <= MOST_VALUES && type !== "f32";
  const values = isSmall && typeof a === "number" && typeof step === "number"
    ? Array.from({ length: count }, (_, i) => a + i * step)
    : undefined;
  return [factOf(type, [count], type === "i64" || type === "i32" ? values : undefined)];
};

/** Returns the value of an input of Range if it is a computed integer or a constant float; otherwise `undefined`. */
function bound(
  fact: Fact | undefined,
  node: NodeProto,
  index: number,
  type: ElementType | undefined,
  { graph }: Inferring,
): KnownLength | undefined {
  if (fact?.values !== undefined) return fact.values[0];
  const isFloating = type === "f32" || type === "f64";
  return isFloating ? numberOfTensor(graph.constant(node.input[index] ?? "")) : undefined;
}

/** Returns the number of elements of a Range: (limit − start) / delta, rounded up; `undefined` if it is unknown. */
function countOf(
  start: KnownLength | undefined,
  limit: KnownLength | undefined,
  delta: KnownLength | undefined,
): KnownLength | undefined {
  if (start === undefined || limit === undefined || delta === undefined || delta === 0) {
    return undefined;
  }
  const [a, b] = [start, limit];
  if (typeof a === "number" && typeof b === "number" && typeof delta === "number") {
    return Math.max(0, Math.ceil((b - a) / delta));
  }
  if (typeof delta === "string") return undefined;
  const reach = delta > 0 ? subtractLengths(b, a) : subtractLengths(a, b);
  const step = Math.abs(delta);
  const exact = divideLengths(reach, step) ?? floorDivideLengths(addLengths(reach, step - 1), step);
  return exact === undefined ? undefined : maxLength(0, exact);
}

const oneHot: InferenceRule = ([indices = UNKNOWN, depth = UNKNOWN, values], node, inferring) => {
  if (indices.shape === undefined) return [factOf(values?.type, undefined)];
  const axis = intAttribute(node, "axis", -1), rank = indices.shape.length + 1;
  const lengths = [...indices.shape];
  lengths.splice(axis < 0 ? axis + rank : axis, 0, depth.values?.[0] ?? inferring.fresh());
  return [factOf(values?.type, lengths)];
};

const random: InferenceRule = (_inputs, node) => [
  factOf(elementTypeOf(intAttribute(node, "dtype", 1)), intsAttribute(node, "shape")),
];

/** Rules for operators that create tensors. Constant has no rule, because `GraphFacts` reads constants itself. */
export const GENERATORS: InferenceRules = {
  Shape: shape,
  Size: size,
  ConstantOfShape: constantOfShape,
  Range: range,
  OneHot: oneHot,
  RandomNormal: random,
  RandomUniform: random,
};
