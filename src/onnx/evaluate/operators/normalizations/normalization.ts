/**
 * Normalizations with scale and bias: of layers, images and groups of channels.
 *
 * @module
 */

import { allocate } from "../../memory.ts";
import { floatAttribute, intAttribute } from "../../../codec/attributes.ts";
import { elementTypeOf } from "../../../codec/element_type.ts";
import type { NodeProto } from "../../../codec/messages.ts";
import { broadcastData, broadcastDims } from "../../broadcast.ts";
import { EPSILON, momentsOf } from "./moments.ts";
import { axisOf, refused, required } from "../../operands.ts";
import type { Evaluate, Operators } from "../../operator.ts";
import { countOf, type PlainTensor } from "../../plain_tensor.ts";

/** Normalized elements, with the mean and the inverse deviation of each block. */
interface Standardized {
  readonly data: Float64Array;
  readonly means: Float64Array;
  /** 1 / √(variance + ε) of each block. */
  readonly inverses: Float64Array;
}

/** Normalizes blocks of `size` elements to mean 0 and variance 1. */
function standardize(data: Float64Array, size: number, epsilon: number): Standardized {
  const count = size === 0 ? 0 : data.length / size;
  const means = allocate(count), inverses = allocate(count);
  const standardized = allocate(data.length);
  for (let block = 0; block < count; block++) {
    const { mean, variance } = momentsOf(data, block * size, size);
    const inverse = 1 / Math.sqrt(variance + epsilon);
    means[block] = mean;
    inverses[block] = inverse;
    for (let i = block * size; i < (block + 1) * size; i++) {
      standardized[i] = (data[i]! - mean) * inverse;
    }
  }
  return { data: standardized, means, inverses };
}

/** Multiplies elements by `scale` and adds `bias`, in place. Both are broadcast to the shape `dims`. */
function scaleAndShift(
  node: NodeProto,
  data: Float64Array,
  dims: readonly number[],
  { scale, bias }: { scale: PlainTensor; bias: PlainTensor | undefined },
): void {
  const factors = broadcastData(fitting(node, scale, dims), dims);
  for (let i = 0; i < data.length; i++) data[i]! *= factors[i]!;
  if (bias === undefined) return;
  const shifts = broadcastData(fitting(node, bias, dims), dims);
  for (let i = 0; i < data.length; i++) data[i]! += shifts[i]!;
}

/** Returns a tensor unchanged. Throws a RangeError if it does not broadcast to a shape. */
function fitting(node: NodeProto, tensor: PlainTensor, dims: readonly number[]): PlainTensor {
  if (broadcastDims(tensor.dims, dims)?.join() === dims.join()) return tensor;
  throw refused(node, `its scale and bias must broadcast to [${dims}]`, `[${tensor.dims}]`);
}

/** Reshapes a tensor with one number per channel so that it broadcasts to images of a rank. */
function perChannel({ type, dims, data }: PlainTensor, rank: number): PlainTensor {
  return { type, dims: [...dims, ...Array.from({ length: rank - 2 }, () => 1)], data };
}

/** Normalizes each block over the axes from `axis` on. Returns the result, the means, and 1 / √(variance + ε). */
export function layerNormalized(
  node: NodeProto,
  { type, dims, data }: PlainTensor,
  axis: number,
  learned: { scale: PlainTensor; bias: PlainTensor | undefined },
): [PlainTensor, PlainTensor, PlainTensor] {
  const size = countOf(dims.slice(axis));
  const result = standardize(data, size, floatAttribute(node, "epsilon", EPSILON));
  scaleAndShift(node, result.data, dims, learned);
  const reduced = dims.map((length, i) => i < axis ? length : 1);
  const moments = elementTypeOf(intAttribute(node, "stash_type", 1)) ?? "f32";
  return [
    { type, dims, data: result.data },
    // ONNX defines the type of the moments by an attribute, independent of the input's type.
    { type: moments, dims: reduced, data: result.means },
    { type: moments, dims: reduced, data: result.inverses },
  ];
}

const layerNormalization: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), x.dims.length, node);
  return layerNormalized(node, x, axis, { scale: required(inputs, 1, node), bias: inputs[2] });
};

const rmsNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), dims.length, node);
  const size = countOf(dims.slice(axis));
  const epsilon = floatAttribute(node, "epsilon", EPSILON);
  const scaled = allocate(data.length);
  for (let from = 0; from < data.length; from += size) {
    let squares = 0;
    for (let i = from; i < from + size; i++) squares += data[i]! ** 2;
    const inverse = 1 / Math.sqrt(squares / size + epsilon);
    for (let i = from; i < from + size; i++) scaled[i] = data[i]! * inverse;
  }
  scaleAndShift(node, scaled, dims, { scale: required(inputs, 1, node), bias: undefined });
  return [{ type, dims, data: scaled }];
};

const instanceNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const size = countOf(dims.slice(2));
  const result = standardize(data, size, floatAttribute(node, "epsilon", EPSILON));
  scaleAndShift(node, result.data, dims, {
    scale: perChannel(required(inputs, 1, node), dims.length),
    bias: perChannel(required(inputs, 2, node), dims.length),
  });
  return [{ type, dims, data: result.data }];
};

/**
 * Evaluates GroupNormalization. Before opset 21, scale and bias have one number per group; from opset 21 on, one per
 * channel.
 */
const groupNormalization: Evaluate = (inputs, node, { opset }) => {
  const { type, dims, data } = required(inputs, 0, node);
  const groups = intAttribute(node, "num_groups", 1), channels = dims[1] ?? 0;
  if (channels % groups !== 0) {
    throw refused(node, `its number of channels must be divisible by ${groups}`, `${channels}`);
  }
  const inGroup = channels / groups;
  const size = inGroup * countOf(dims.slice(2));
  const result = standardize(data, size, floatAttribute(node, "epsilon", EPSILON));
  const [scale, bias] = [1, 2].map((i) => {
    const given = required(inputs, i, node);
    if (opset >= 21) return perChannel(given, dims.length);
    const repeated = Float64Array.from(
      { length: channels },
      (_, channel) => given.data[Math.floor(channel / inGroup)]!,
    );
    return perChannel({ ...given, dims: [channels], data: repeated }, dims.length);
  });
  scaleAndShift(node, result.data, dims, { scale: scale!, bias });
  return [{ type, dims, data: result.data }];
};

/** Implementations of normalizations of layers, images and groups of channels. */
export const NORMALIZATION: Operators = {
  GroupNormalization: groupNormalization,
  InstanceNormalization: instanceNormalization,
  LayerNormalization: layerNormalization,
  RMSNormalization: rmsNormalization,
};
