/**
 * Normalizations without learned scale and bias.
 *
 * @module
 */

import { allocate } from "../../memory.ts";
import { floatAttribute, intAttribute, intsAttribute } from "../../../codec/attributes.ts";
import { around } from "../../lines.ts";
import { broadcastData } from "../../broadcast.ts";
import { axisOf, required } from "../../operands.ts";
import type { Evaluate, Operators } from "../../operator.ts";
import { countOf } from "../../plain_tensor.ts";
import { root } from "../../root.ts";

/**
 * Evaluates MeanVarianceNormalization. As ONNX defines it, 10⁻⁹ is added to the standard deviation, not to the
 * variance.
 */
const meanVarianceNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axes = (intsAttribute(node, "axes") ?? [0, 2, 3])
    .map((axis) => axisOf(axis, dims.length, node));
  const kept = dims.map((length, axis) => axes.includes(axis) ? 1 : length);
  const count = countOf(kept), perBlock = data.length / count;
  const numbers = Float64Array.from({ length: count }, (_, block) => block);
  const blocks = broadcastData({ type, dims: kept, data: numbers }, dims);
  const means = allocate(count), variances = allocate(count);
  for (let i = 0; i < data.length; i++) means[blocks[i]!]! += data[i]! / perBlock;
  for (let i = 0; i < data.length; i++) {
    variances[blocks[i]!]! += (data[i]! - means[blocks[i]!]!) ** 2 / perBlock;
  }
  const normalized = data.map((value, i) => {
    const block = blocks[i]!;
    return (value - means[block]!) / (Math.sqrt(variances[block]!) + 1e-9);
  });
  return [{ type, dims, data: normalized }];
};

/** Evaluates LpNormalization: divides each line along the axis by its norm. A line of zeros stays zero. */
const lpNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), dims.length, node);
  const p = intAttribute(node, "p", 2), { outer, length, inner } = around(dims, axis);
  const normalized = allocate(data.length);
  for (let row = 0; row < outer * inner; row++) {
    const from = Math.floor(row / inner) * length * inner + row % inner;
    let sum = 0;
    for (let i = 0; i < length; i++) sum += Math.abs(data[from + i * inner]!) ** p;
    const norm = root(sum, p);
    for (let i = from; i < from + length * inner; i += inner) {
      normalized[i] = norm === 0 ? 0 : data[i]! / norm;
    }
  }
  return [{ type, dims, data: normalized }];
};

/** Evaluates LRN: divides each element by a power of the sum of squares over nearby channels. */
const localResponse: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node),
    { outer, length, inner } = around(dims, 1);
  const size = intAttribute(node, "size", 1),
    alpha = floatAttribute(node, "alpha", Math.fround(1e-4));
  const beta = floatAttribute(node, "beta", 0.75), bias = floatAttribute(node, "bias", 1);
  const before = Math.floor((size - 1) / 2), behind = Math.ceil((size - 1) / 2);
  const normalized = allocate(data.length);
  for (let i = 0; i < data.length; i++) {
    const channel = Math.floor(i / inner) % length;
    const first = Math.max(0, channel - before), last = Math.min(length - 1, channel + behind);
    let squares = 0;
    for (let c = first; c <= last; c++) squares += data[i + (c - channel) * inner]! ** 2;
    normalized[i] = data[i]! / (bias + alpha / size * squares) ** beta;
  }
  return [{ type, dims, data: outer === 0 ? data : normalized }];
};

/** Implementations of LpNormalization, LRN and MeanVarianceNormalization. */
export const PLAIN_NORMALIZATION: Operators = {
  LpNormalization: lpNormalization,
  LRN: localResponse,
  MeanVarianceNormalization: meanVarianceNormalization,
};
