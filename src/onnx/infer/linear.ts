/**
 * Inference rules for matrix products.
 *
 * @module
 */

import { intAttribute, textAttribute } from "../codec/attributes.ts";
import { einsumEquation } from "../graph/einsum_equation.ts";
import { broadcastShapes } from "./broadcast_shapes.ts";
import {
  factOf,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  type KnownShape,
  typeAmong,
  UNKNOWN,
} from "./fact.ts";
import { broadcastLengths, type KnownLength } from "./length.ts";

const matMul: InferenceRule = ([a = UNKNOWN, b = UNKNOWN], _node, inferring) => [
  factOf(typeAmong([a, b]), a.shape && b.shape && productShape(a.shape, b.shape, inferring)),
];

/**
 * Returns the shape of a matrix product. A vector is a row on the left and a column on the right; the axis that this
 * adds to the vector is not part of the result.
 */
function productShape(a: KnownShape, b: KnownShape, inferring: Inferring): KnownShape | undefined {
  const left = a.length === 1 ? [1, ...a] : a, right = b.length === 1 ? [...b, 1] : b;
  const [rows, inner, other, columns] = [left.at(-2), left.at(-1), right.at(-2), right.at(-1)];
  if (rows === undefined || columns === undefined) {
    return inferring.contradiction("factors must have at least one axis", `[${a}] and [${b}]`);
  }
  if (typeof inner === "number" && typeof other === "number" && inner !== other) {
    inferring.contradiction("the inner lengths of factors must be equal", `${inner} and ${other}`);
  }
  const batch = broadcastShapes([left.slice(0, -2), right.slice(0, -2)], inferring);
  return batch &&
    [...batch, ...a.length === 1 ? [] : [rows], ...b.length === 1 ? [] : [columns]];
}

const gemm: InferenceRule = ([a = UNKNOWN, b = UNKNOWN, c], node, inferring) => {
  const rows = a.shape?.[intAttribute(node, "transA", 0) === 0 ? 0 : 1];
  const columns = b.shape?.[intAttribute(node, "transB", 0) === 0 ? 1 : 0];
  const shape = [rows ?? inferring.fresh(), columns ?? inferring.fresh()];
  return [factOf(typeAmong([a, b, c]), shape)];
};

const fusedMatMul: InferenceRule = ([a = UNKNOWN, b = UNKNOWN], node, inferring) => {
  const turned = (shape: KnownShape | undefined, name: string): KnownShape | undefined =>
    shape === undefined || intAttribute(node, name, 0) === 0 || shape.length < 2
      ? shape
      : [...shape.slice(0, -2), ...shape.slice(-2).reverse()];
  const isBatch = intAttribute(node, "transBatchA", 0) + intAttribute(node, "transBatchB", 0) > 0;
  const [left, right] = [turned(a.shape, "transA"), turned(b.shape, "transB")];
  const shape = isBatch ? undefined : left && right && productShape(left, right, inferring);
  return [factOf(typeAmong([a, b]), shape)];
};

const einsum: InferenceRule = (inputs, node, inferring) => {
  const type = typeAmong(inputs), text = textAttribute(node, "equation", "");
  const shapes = inputs.map((input) => input?.shape);
  const equation = einsumEquation(text, shapes.map((shape) => shape?.length));
  if (equation === undefined) {
    if (shapes.every((shape) => shape !== undefined)) {
      const ranks = shapes.map((shape) => shape.length).join(", ");
      inferring.contradiction(`the equation must fit inputs with ${ranks} axes`, text);
    }
    return [factOf(type, undefined)];
  }
  const of = new Map<string, KnownLength>();
  for (const [i, labels] of equation.inputs.entries()) {
    for (const [axis, label] of labels.entries()) {
      note(of, label, shapes[i]?.[axis] ?? inferring.fresh(), inferring);
    }
  }
  return [factOf(type, equation.output.map((label) => of.get(label) ?? inferring.fresh()))];
};

/**
 * Stores the length of a label in `of`. Reports a contradiction if the label already has another length, unless one
 * of the two is 1.
 */
function note(
  of: Map<string, KnownLength>,
  label: string,
  length: KnownLength,
  inferring: Inferring,
): void {
  const known = of.get(label) ?? length;
  const both = broadcastLengths(known, length);
  if (both === undefined && typeof known === "number" && typeof length === "number") {
    inferring.contradiction(`all lengths of ${label} must be equal`, `${known} and ${length}`);
  }
  of.set(label, both ?? inferring.fresh());
}

const det: InferenceRule = ([a = UNKNOWN]) => [factOf(a.type, a.shape?.slice(0, -2))];

/** Rules for operators that multiply matrices. */
export const LINEAR: InferenceRules = {
  MatMul: matMul,
  Gemm: gemm,
  Einsum: einsum,
  Det: det,
  "com.microsoft.FusedMatMul": fusedMatMul,
};
