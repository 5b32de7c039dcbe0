import { allocate } from "../../memory.ts";
import { floatAttribute, intAttribute } from "../../../codec/attributes.ts";
import type { NodeProto } from "../../../codec/messages.ts";
import { around } from "../../lines.ts";
import { EPSILON, type Moments, momentsOf } from "./moments.ts";
import { refused, required } from "../../operands.ts";
import type { Evaluate, Operators } from "../../operator.ts";
import type { PlainTensor } from "../../plain_tensor.ts";

/** Returns the mean and variance of each channel over all images. */
function channelMoments({ dims, data }: PlainTensor): Moments[] {
  const { outer, length, inner } = around(dims, 1);
  return Array.from({ length }, (_, channel) => {
    const all = allocate(outer * inner);
    for (let image = 0; image < outer; image++) {
      const from = (image * length + channel) * inner;
      all.set(data.subarray(from, from + inner), image * inner);
    }
    return momentsOf(all, 0, all.length);
  });
}

/**
 * Returns the scale, bias, mean and variance inputs. Throws a RangeError if one of them does not have one number per
 * channel.
 */
function channelInputs(
  inputs: readonly (PlainTensor | undefined)[],
  node: NodeProto,
  channels: number | undefined,
): [scale: Float64Array, bias: Float64Array, mean: Float64Array, variance: Float64Array] {
  const one = (i: number) => {
    const { dims, data } = required(inputs, i, node);
    if (channels !== undefined && data.length === channels) return data;
    throw refused(node, "its inputs must have one number per channel", `[${dims}]`);
  };
  return [one(1), one(2), one(3), one(4)];
}

/**
 * Evaluates BatchNormalization: (x − mean) / √(variance + ε) · scale + bias for each channel. In training mode, it
 * uses the mean and variance of the batch, and also returns the new running mean and variance.
 */
const batchNormalization: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), { type, dims, data } = x;
  const [scale, bias, mean, variance] = channelInputs(inputs, node, dims[1]);
  const isTraining = intAttribute(node, "training_mode", 0) !== 0;
  const moments: Moments[] = isTraining
    ? channelMoments(x)
    : Array.from(mean, (each, channel) => ({ mean: each, variance: variance[channel]! }));
  const epsilon = floatAttribute(node, "epsilon", EPSILON);
  const { outer, length, inner } = around(dims, 1), normalized = allocate(data.length);
  for (let block = 0; block < outer * length; block++) {
    const channel = block % length, { mean, variance } = moments[channel]!;
    const factor = scale[channel]! / Math.sqrt(variance + epsilon);
    for (let i = block * inner; i < (block + 1) * inner; i++) {
      normalized[i] = (data[i]! - mean) * factor + bias[channel]!;
    }
  }
  const y = { type, dims, data: normalized };
  return isTraining ? [y, ...runningMoments(inputs, node, moments)] : [y];
};

/** Returns the new running mean and variance: running · momentum + batch · (1 − momentum). */
function runningMoments(
  inputs: readonly (PlainTensor | undefined)[],
  node: NodeProto,
  moments: readonly Moments[],
): PlainTensor[] {
  const momentum = floatAttribute(node, "momentum", Math.fround(0.9));
  const moved = (i: number, now: (moments: Moments) => number) => {
    const { type, dims, data } = required(inputs, i, node);
    const after = data.map((old, channel) =>
      old * momentum + now(moments[channel]!) * (1 - momentum)
    );
    return { type, dims, data: after };
  };
  return [moved(3, ({ mean }) => mean), moved(4, ({ variance }) => variance)];
}

/** Implementation of BatchNormalization. */
export const BATCH_NORMALIZATION: Operators = { BatchNormalization: batchNormalization };
