/**
 * Inference rules for convolutions, pooling, and normalizations with several outputs.
 *
 * @module
 */

import { intAttribute, intsAttribute, textAttribute } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import {
  axisOf,
  factOf,
  type InferenceRule,
  type InferenceRules,
  type Inferring,
  type KnownShape,
  UNKNOWN,
} from "./fact.ts";
import {
  addLengths,
  floorDivideLengths,
  type KnownLength,
  minLength,
  multiplyLengths,
  subtractLengths,
} from "./length.ts";

/** Parameters of the windows along one axis. */
interface Window {
  /** Number of elements that the window spans, including the gaps of a dilation. */
  readonly reach: KnownLength;
  readonly stride: number;
  /** Sum of the padding before and after the axis. */
  readonly pads: number;
  readonly pad: string;
  /**
   * Padding before the first element if `ceil_mode` lets the last window extend beyond the end; otherwise
   * `undefined`.
   */
  readonly begin: number | undefined;
}

/** Returns the number of windows along an axis; `undefined` if it is unknown. */
function stepsOf(length: KnownLength, window: Window): KnownLength | undefined {
  const { reach, stride, pads, pad, begin } = window;
  if (pad.startsWith("SAME")) return floorDivideLengths(addLengths(length, stride - 1), stride);
  const room = subtractLengths(addLengths(length, pad === "VALID" ? 0 : pads), reach);
  const rounded = begin === undefined || pad === "VALID" ? room : addLengths(room, stride - 1);
  const steps = floorDivideLengths(rounded, stride);
  if (steps === undefined) return undefined;
  const count = addLengths(steps, 1);
  // A window that would start in the padding at the end is skipped.
  const last = begin !== undefined &&
    floorDivideLengths(addLengths(length, begin - 1), stride);
  return typeof last === "boolean" || last === undefined
    ? count
    : minLength(count, addLengths(last, 1));
}

function windowAt(
  node: NodeProto,
  i: number,
  kernel: KnownLength,
  axes: number,
): Window {
  const at = (name: string, index: number, otherwise: number) =>
    intsAttribute(node, name)?.[index] ?? otherwise;
  const dilation = at("dilations", i, 1);
  const begin = at("pads", i, 0);
  return {
    reach: addLengths(multiplyLengths(dilation, subtractLengths(kernel, 1)), 1),
    stride: at("strides", i, 1),
    pads: begin + at("pads", i + axes, 0),
    pad: textAttribute(node, "auto_pad", "NOTSET"),
    begin: intAttribute(node, "ceil_mode", 0) === 0 ? undefined : begin,
  };
}

/** Returns the lengths of the spatial axes of the result of windows with the lengths `kernel`. */
function planeOf(
  plane: KnownShape,
  kernel: readonly (KnownLength | undefined)[],
  node: NodeProto,
  inferring: Inferring,
): KnownShape {
  return plane.map((length, i) => {
    const side = kernel[i];
    const count = side === undefined
      ? undefined
      : stepsOf(length, windowAt(node, i, side, plane.length));
    return count ?? inferring.fresh();
  });
}

const conv: InferenceRule = ([a = UNKNOWN, w = UNKNOWN], node, inferring) => {
  const [n, , ...plane] = a.shape ?? [];
  if (n === undefined) return [factOf(a.type ?? w.type, undefined)];
  const kernel = intsAttribute(node, "kernel_shape") ?? w.shape?.slice(2) ?? [];
  const channels = w.shape?.[0] ?? inferring.fresh();
  return [factOf(a.type ?? w.type, [n, channels, ...planeOf(plane, kernel, node, inferring)])];
};

const convTranspose: InferenceRule = ([a = UNKNOWN, w = UNKNOWN], node, inferring) => {
  const [n, , ...plane] = a.shape ?? [];
  if (n === undefined) return [factOf(a.type ?? w.type, undefined)];
  const kernel = intsAttribute(node, "kernel_shape") ?? w.shape?.slice(2) ?? [];
  const each = w.shape?.[1];
  const channels = each && multiplyLengths(each, intAttribute(node, "group", 1));
  const grown = plane.map((length, i) => {
    const said = intsAttribute(node, "output_shape")?.slice(-plane.length)[i];
    const side = kernel[i];
    return said ??
      (side === undefined ? inferring.fresh() : spreadLength(length, i, side, plane.length, node));
  });
  return [factOf(a.type ?? w.type, [n, channels ?? inferring.fresh(), ...grown])];
};

/** Returns the length of an axis of the result of a transposed convolution. */
function spreadLength(
  length: KnownLength,
  i: number,
  side: KnownLength,
  axes: number,
  node: NodeProto,
): KnownLength {
  const { reach, stride, pads, pad } = windowAt(node, i, side, axes);
  if (pad.startsWith("SAME")) return multiplyLengths(length, stride);
  const more = intsAttribute(node, "output_padding")?.[i] ?? 0;
  const spread = addLengths(multiplyLengths(stride, subtractLengths(length, 1)), reach);
  return addLengths(spread, more - (pad === "VALID" ? 0 : pads));
}

const pool: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const [n, c, ...plane] = a.shape ?? [];
  const kernel = intsAttribute(node, "kernel_shape");
  if (n === undefined || c === undefined || kernel === undefined) {
    return [factOf(a.type, undefined), factOf("i64", undefined)];
  }
  const shape = [n, c, ...planeOf(plane, kernel, node, inferring)];
  return [factOf(a.type, shape), factOf("i64", shape)];
};

const globalPool: InferenceRule = ([a = UNKNOWN]) => [
  factOf(a.type, a.shape?.map((length, i) => i < 2 ? length : 1)),
];

/** Rule of LayerNormalization. It also returns the mean and the inverse deviation, whose reduced axes have length 1. */
const layerNormalization: InferenceRule = ([a = UNKNOWN], node, inferring) => {
  const axis = a.shape && axisOf(intAttribute(node, "axis", -1), a.shape.length, inferring);
  const shape = axis === undefined ? undefined : a.shape?.map((length, i) => i < axis ? length : 1);
  const stash = intAttribute(node, "stash_type", 1) === 1 ? "f32" : undefined;
  return [factOf(a.type, a.shape), factOf(stash, shape), factOf(stash, shape)];
};

/** Rule of BatchNormalization. It also returns the running mean and variance, which have the shapes of the inputs. */
const batchNormalization: InferenceRule = (
  [a = UNKNOWN, , , mean = UNKNOWN, variance = UNKNOWN],
) => [
  factOf(a.type, a.shape),
  factOf(mean.type, mean.shape),
  factOf(variance.type, variance.shape),
];

/** Rules for operators with windows, and normalizations. */
export const WINDOWS: InferenceRules = {
  Conv: conv,
  ConvTranspose: convTranspose,
  MaxPool: pool,
  AveragePool: pool,
  LpPool: pool,
  GlobalAveragePool: globalPool,
  GlobalMaxPool: globalPool,
  GlobalLpPool: globalPool,
  LayerNormalization: layerNormalization,
  BatchNormalization: batchNormalization,
};
