/**
 * Convolutions and transposed convolutions with any number of spatial axes.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { placesOf, reach, stepsOf, type Windows, windowsOver } from "./windows.ts";

/**
 * Parameters of a convolution between a wide image, over which windows slide, and a narrow image with one element
 * per window.
 */
interface Plan {
  /** Position in the wide image of each element of each window; negative for elements outside of the image. */
  readonly places: Int32Array;
  /** Number of images. */
  readonly batch: number;
  /** Number of groups of channels, which are convolved separately. */
  readonly groups: number;
  /** Channels of the wide image per group. */
  readonly wide: number;
  /** Channels of the narrow image per group. */
  readonly narrow: number;
  /** Number of elements of one channel of the wide image. */
  readonly wideSize: number;
  /** Number of elements of one channel of the narrow image. */
  readonly narrowSize: number;
  /** Number of elements of a window. */
  readonly kernelSize: number;
}

/**
 * Adds the products of elements and weights for one image and one pair of channels. A convolution adds to the narrow
 * image, a transposed convolution to the wide image.
 */
// hot
function addChannel(
  { places, narrowSize, kernelSize }: Plan,
  { wide, narrow, weights }: { wide: Float64Array; narrow: Float64Array; weights: Float64Array },
  { wideAt, narrowAt, weightAt }: { wideAt: number; narrowAt: number; weightAt: number },
  isTransposed: boolean,
): void {
  for (let window = 0; window < narrowSize; window++) {
    const from = window * kernelSize, at = narrowAt + window;
    for (let k = 0; k < kernelSize; k++) {
      const place = places[from + k]!;
      if (place < 0) continue;
      const weight = weights[weightAt + k]!;
      if (isTransposed) wide[wideAt + place]! += weight * narrow[at]!;
      else narrow[at]! += weight * wide[wideAt + place]!;
    }
  }
}

/**
 * Convolves all images of a batch. The weights have the shape [narrow channels, wide channels per group, …window],
 * also for a transposed convolution.
 */
function convolve(
  plan: Plan,
  arrays: { wide: Float64Array; narrow: Float64Array; weights: Float64Array },
  isTransposed: boolean,
): void {
  const { batch, groups, wide, narrow } = plan;
  for (let image = 0; image < batch * groups; image++) {
    const group = image % groups;
    for (let n = 0; n < narrow; n++) {
      for (let w = 0; w < wide; w++) {
        addChannel(plan, arrays, {
          wideAt: (image * wide + w) * plan.wideSize,
          narrowAt: (image * narrow + n) * plan.narrowSize,
          weightAt: ((group * narrow + n) * wide + w) * plan.kernelSize,
        }, isTransposed);
      }
    }
  }
}

function planOf(windows: Windows, batch: number, groups: number, weights: PlainTensor): Plan {
  return {
    places: placesOf(windows),
    batch,
    groups,
    wide: weights.dims[1]!,
    narrow: weights.dims[0]! / groups,
    wideSize: countOf(windows.image),
    narrowSize: countOf(windows.counts),
    kernelSize: countOf(windows.kernel),
  };
}

/** Allocates the elements of an image. Each channel is filled with its bias, or with 0 if `bias` is `undefined`. */
function filled(dims: readonly number[], bias: PlainTensor | undefined): Float64Array<ArrayBuffer> {
  const data = allocate(countOf(dims));
  if (bias === undefined) return data;
  const size = countOf(dims.slice(2)), channels = dims[1]!;
  for (let i = 0; i * size < data.length; i++) {
    data.fill(bias.data[i % channels]!, i * size, (i + 1) * size);
  }
  return data;
}

/** Returns the number of groups of channels. Throws a RangeError if the weights do not fit the image. */
function groupsOf(node: NodeProto, x: PlainTensor, weights: PlainTensor, channels: number): number {
  const groups = intAttribute(node, "group", 1);
  const fits = x.dims.length >= 3 && x.dims.length === weights.dims.length &&
    x.dims[1] === channels * groups && weights.dims[0]! % groups === 0;
  if (fits) return groups;
  const value = `an image of [${x.dims}] and weights of [${weights.dims}]`;
  throw refused(node, `its weights must fit the image with ${groups} groups`, value);
}

const conv: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), weights = required(inputs, 1, node);
  const groups = groupsOf(node, x, weights, weights.dims[1]!);
  const windows = windowsOver(node, x.dims.slice(2), weights.dims.slice(2));
  const dims = [x.dims[0]!, weights.dims[0]!, ...windows.counts];
  const narrow = filled(dims, inputs[2]);
  const plan = planOf(windows, x.dims[0]!, groups, weights);
  convolve(plan, { wide: x.data, narrow, weights: weights.data }, false);
  return [{ type: x.type, dims, data: narrow }];
};

/** Returns the windows of a transposed convolution, which slide over its result. */
function transposedWindows(
  node: NodeProto,
  counts: readonly number[],
  kernel: readonly number[],
): Windows {
  const { strides, dilations, pads, autoPad } = stepsOf(node, counts.length);
  const more = intsAttribute(node, "output_padding") ?? counts.map(() => 0);
  const wanted = intsAttribute(node, "output_shape")?.slice(-counts.length);
  const axes = counts.map((count, axis) => {
    const stride = strides[axis]!;
    const whole = (count - 1) * stride + reach(kernel[axis]!, dilations[axis]!) + more[axis]!;
    const isSame = autoPad.startsWith("SAME");
    const length = wanted?.[axis] ?? (isSame ? count * stride : undefined);
    if (length === undefined) {
      const [begin, end] = autoPad === "VALID"
        ? [0, 0]
        : [pads[axis]!, pads[axis + counts.length]!];
      return { begin, length: whole - begin - end };
    }
    const total = Math.max(0, whole - length), less = Math.floor(total / 2);
    return { begin: autoPad === "SAME_UPPER" ? less : total - less, length };
  });
  const image = axes.map(({ length }) => length);
  const begin = axes.map((axis) => axis.begin);
  return { image, kernel, strides, dilations, begin, end: image.map(() => 0), counts };
}

const convTranspose: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), weights = required(inputs, 1, node);
  const groups = groupsOf(node, x, weights, weights.dims[0]! / intAttribute(node, "group", 1));
  const windows = transposedWindows(node, x.dims.slice(2), weights.dims.slice(2));
  const dims = [x.dims[0]!, weights.dims[1]! * groups, ...windows.image];
  const wide = filled(dims, inputs[2]);
  const plan = planOf(windows, x.dims[0]!, groups, weights);
  convolve(plan, { wide, narrow: x.data, weights: weights.data }, true);
  return [{ type: x.type, dims, data: wide }];
};

/** Implementations of Conv and ConvTranspose. */
export const CONVOLUTION: Operators = { Conv: conv, ConvTranspose: convTranspose };
