/**
 * Normalizations with a scale of their own: of layers, images, groups of channels and batches.
 *
 * @module
 */

import { floatAttribute, intAttribute } from "../attributes.ts";
import type { NodeProto } from "../messages.ts";
import { around, countBetween } from "./around.ts";
import { broadcastData, broadcastDims } from "./broadcast.ts";
import { axisOf, refused, required } from "./operands.ts";
import type { Evaluate, Operators } from "./operator.ts";
import type { PlainTensor } from "./plain_tensor.ts";

/** The mean of a block of elements, and the mean square of what they differ from it. */
interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** In two passes, as the difference of two squares would lose digits. */
// hot
function momentsOf(data: Float64Array, from: number, count: number): Moments {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += data[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = from; i < from + count; i++) squares += (data[i]! - mean) ** 2;
  return { mean, variance: squares / count };
}

/** One number for each block of elements that lie together. */
interface Standardized {
  readonly data: Float64Array;
  readonly means: Float64Array;
  /** 1 / √(variance + ε) */
  readonly inverses: Float64Array;
}

/** Blocks of so many elements, each with mean 0 and variance 1. */
function standardize(data: Float64Array, size: number, epsilon: number): Standardized {
  const count = size === 0 ? 0 : data.length / size;
  const means = new Float64Array(count), inverses = new Float64Array(count);
  const standardized = new Float64Array(data.length);
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

/** Multiplies by `scale` and adds `bias`, which broadcast. */
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

/** A tensor that broadcasts to these lengths. Throws a RangeError for another one. */
function fitting(node: NodeProto, tensor: PlainTensor, dims: readonly number[]): PlainTensor {
  if (broadcastDims(tensor.dims, dims)?.join() === dims.join()) return tensor;
  throw refused(node, `its scale and bias must broadcast to [${dims}]`, `[${tensor.dims}]`);
}

/** One number per channel as a tensor that broadcasts to images of so many axes. */
function perChannel({ type, dims, data }: PlainTensor, rank: number): PlainTensor {
  return { type, dims: [...dims, ...Array.from({ length: rank - 2 }, () => 1)], data };
}

const layerNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), dims.length, node);
  const size = countBetween(dims, axis, dims.length);
  const result = standardize(data, size, floatAttribute(node, "epsilon", 1e-5));
  scaleAndShift(node, result.data, dims, { scale: required(inputs, 1, node), bias: inputs[2] });
  const reduced = dims.map((length, i) => i < axis ? length : 1);
  return [
    { type, dims, data: result.data },
    { type, dims: reduced, data: result.means },
    { type, dims: reduced, data: result.inverses },
  ];
};

const rmsNormalization: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const axis = axisOf(intAttribute(node, "axis", -1), dims.length, node);
  const size = countBetween(dims, axis, dims.length);
  const epsilon = floatAttribute(node, "epsilon", 1e-5);
  const scaled = new Float64Array(data.length);
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
  const size = countBetween(dims, 2, dims.length);
  const result = standardize(data, size, floatAttribute(node, "epsilon", 1e-5));
  scaleAndShift(node, result.data, dims, {
    scale: perChannel(required(inputs, 1, node), dims.length),
    bias: perChannel(required(inputs, 2, node), dims.length),
  });
  return [{ type, dims, data: result.data }];
};

/** Before opset 21 there is one scale and bias per group, since then per channel. */
const groupNormalization: Evaluate = (inputs, node, { opset }) => {
  const { type, dims, data } = required(inputs, 0, node);
  const groups = intAttribute(node, "num_groups", 1), channels = dims[1] ?? 0;
  if (channels % groups !== 0) {
    throw refused(node, `its channels must be parted into ${groups} groups`, `${channels}`);
  }
  const inGroup = channels / groups;
  const size = inGroup * countBetween(dims, 2, dims.length);
  const result = standardize(data, size, floatAttribute(node, "epsilon", 1e-5));
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

/** Mean and variance of each channel over all images. */
function channelMoments({ dims, data }: PlainTensor): Moments[] {
  const { outer, length, inner } = around(dims, 1);
  return Array.from({ length }, (_, channel) => {
    const all = new Float64Array(outer * inner);
    for (let image = 0; image < outer; image++) {
      const from = (image * length + channel) * inner;
      all.set(data.subarray(from, from + inner), image * inner);
    }
    return momentsOf(all, 0, all.length);
  });
}

const batchNormalization: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), { type, dims, data } = x;
  const [scale, bias, mean, variance] = [1, 2, 3, 4].map((i) => required(inputs, i, node).data);
  const isTraining = intAttribute(node, "training_mode", 0) !== 0;
  const moments: Moments[] = isTraining
    ? channelMoments(x)
    : Array.from(mean!, (each, channel) => ({ mean: each, variance: variance![channel]! }));
  const epsilon = floatAttribute(node, "epsilon", 1e-5);
  const { outer, length, inner } = dims.length > 1
    ? around(dims, 1)
    : { outer: data.length, length: 1, inner: 1 };
  const normalized = new Float64Array(data.length);
  for (let block = 0; block < outer * length; block++) {
    const channel = block % length, { mean, variance } = moments[channel]!;
    const factor = scale![channel]! / Math.sqrt(variance + epsilon);
    for (let i = block * inner; i < (block + 1) * inner; i++) {
      normalized[i] = (data[i]! - mean) * factor + bias![channel]!;
    }
  }
  const y = { type, dims, data: normalized };
  if (!isTraining) return [y];
  const momentum = floatAttribute(node, "momentum", 0.9);
  const running = (before: Float64Array, now: (moments: Moments) => number, i: number) => ({
    type: required(inputs, i, node).type,
    dims: [length],
    data: before.map((old, channel) => old * momentum + now(moments[channel]!) * (1 - momentum)),
  });
  return [
    y,
    running(mean!, (each) => each.mean, 3),
    running(variance!, (each) => each.variance, 4),
  ];
};

/** Normalizations of layers, images, groups of channels and batches. */
export const NORMALIZATION: Operators = {
  BatchNormalization: batchNormalization,
  GroupNormalization: groupNormalization,
  InstanceNormalization: instanceNormalization,
  LayerNormalization: layerNormalization,
  RMSNormalization: rmsNormalization,
};
