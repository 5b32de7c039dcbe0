/**
 * Pooling over windows, and over whole channels.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { intAttribute, intsAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { root } from "../root.ts";
import { IN_PADDING, placesOf, type Windows, windowsOver } from "./windows.ts";

/** A tensor, and the windows that a pool slides over its channels. */
interface Pool {
  readonly x: PlainTensor;
  readonly windows: Windows;
  readonly places: Int32Array;
  /** Number of channels of all images together; `size` is the number of elements per channel. */
  readonly channels: number;
  readonly size: number;
  /** Number of windows per channel; `kernelSize` is the number of elements per window. */
  readonly count: number;
  readonly kernelSize: number;
  /** Shape of the result. */
  readonly dims: readonly number[];
}

function poolOf(inputs: readonly (PlainTensor | undefined)[], node: NodeProto): Pool {
  const x = required(inputs, 0, node), kernel = intsAttribute(node, "kernel_shape");
  if (kernel === undefined || kernel.length !== x.dims.length - 2) {
    throw refused(node, `its kernel_shape must fit [${x.dims}]`, `[${kernel ?? "none"}]`);
  }
  const image = x.dims.slice(2), windows = windowsOver(node, image, kernel);
  return {
    x,
    windows,
    places: placesOf(windows),
    channels: countOf(x.dims.slice(0, 2)),
    size: countOf(image),
    count: countOf(windows.counts),
    kernelSize: countOf(kernel),
    dims: [...x.dims.slice(0, 2), ...windows.counts],
  };
}

/**
 * Returns the position in its channel of the largest element of each window. Among equal elements the first counts;
 * NaN counts as the largest. The position is −1 for a window without elements.
 */
// hot
function largestPlaces({ x, places, channels, size, count, kernelSize }: Pool): Float64Array {
  const largest = allocate(channels * count);
  for (let i = 0; i < largest.length; i++) {
    const channel = Math.floor(i / count) * size, from = (i % count) * kernelSize;
    let best = -1;
    for (let k = from; k < from + kernelSize; k++) {
      const place = places[k]!;
      if (place < 0) continue;
      const value = x.data[channel + place]!, before = best < 0 ? NaN : x.data[channel + best]!;
      if (best < 0 || value > before || (value !== value && before === before)) best = place;
    }
    largest[i] = best;
  }
  return largest;
}

/** Converts a row-major position in an image to a column-major position, in which the first axis varies fastest. */
function columnMajor(place: number, image: readonly number[]): number {
  let rest = place, stride = countOf(image), turned = 0;
  for (let axis = image.length - 1; axis >= 0; axis--) {
    stride /= image[axis]!;
    turned += (rest % image[axis]!) * stride;
    rest = Math.floor(rest / image[axis]!);
  }
  return turned;
}

const maxPool: Evaluate = (inputs, node) => {
  const pool = poolOf(inputs, node), { x, size, count, dims, windows } = pool;
  const places = largestPlaces(pool);
  const largest = places.map((place, i) =>
    place < 0 ? -Infinity : x.data[Math.floor(i / count) * size + place]!
  );
  const isColumnMajor = intAttribute(node, "storage_order", 0) !== 0;
  const indices = places.map((place, i) =>
    Math.floor(i / count) * size + (isColumnMajor ? columnMajor(place, windows.image) : place)
  );
  return [{ type: x.type, dims, data: largest }, { type: "i64", dims, data: indices }];
};

/** Computes the result of a window from the sum and the number of its elements. */
type Finish = (sum: number, elements: number) => number;

/**
 * Sums `map` of each element over windows, and applies `finish` to each sum. Padding elements contribute 0, and are
 * counted as elements if `countsPadding` is true.
 */
function sumPool(
  { x, places, channels, size, count, kernelSize, dims }: Pool,
  { map, finish, countsPadding }: {
    map: (value: number) => number;
    finish: Finish;
    countsPadding: boolean;
  },
): PlainTensor {
  const data = allocate(channels * count);
  for (let i = 0; i < data.length; i++) {
    const channel = Math.floor(i / count) * size, from = (i % count) * kernelSize;
    let sum = 0, elements = 0;
    for (let k = from; k < from + kernelSize; k++) {
      const place = places[k]!;
      if (place >= 0) sum += map(x.data[channel + place]!);
      if (place >= 0 || (countsPadding && place === IN_PADDING)) elements++;
    }
    data[i] = finish(sum, elements);
  }
  return { type: x.type, dims, data };
}

const averagePool: Evaluate = (inputs, node) => [
  sumPool(poolOf(inputs, node), {
    map: (value) => value,
    finish: (sum, elements) => sum / elements,
    countsPadding: intAttribute(node, "count_include_pad", 0) !== 0,
  }),
];

const lpPool: Evaluate = (inputs, node) => {
  const p = intAttribute(node, "p", 2);
  return [
    sumPool(poolOf(inputs, node), {
      map: (value) => Math.abs(value) ** p,
      finish: (sum) => root(sum, p),
      countsPadding: false,
    }),
  ];
};

/** Creates an operator that reduces each channel to one number. */
function globalPool(reduce: (channel: Float64Array, node: NodeProto) => number): Evaluate {
  return (inputs, node) => {
    const { type, dims, data } = required(inputs, 0, node);
    const size = countOf(dims.slice(2));
    const pooled = allocate(countOf(dims.slice(0, 2)));
    for (let i = 0; i < pooled.length; i++) {
      pooled[i] = reduce(data.subarray(i * size, (i + 1) * size), node);
    }
    return [{ type, dims: dims.map((length, axis) => axis < 2 ? length : 1), data: pooled }];
  };
}

function norm(channel: Float64Array, node: NodeProto): number {
  const p = intAttribute(node, "p", 2);
  return root(channel.reduce((sum, value) => sum + Math.abs(value) ** p, 0), p);
}

/** Implementations of pools over windows and over whole channels. */
export const POOLING: Operators = {
  AveragePool: averagePool,
  GlobalAveragePool: globalPool((channel) =>
    channel.reduce((sum, value) => sum + value, 0) / channel.length
  ),
  GlobalLpPool: globalPool(norm),
  GlobalMaxPool: globalPool((channel) =>
    channel.reduce((most, value) => Math.max(most, value), -Infinity)
  ),
  LpPool: lpPool,
  MaxPool: maxPool,
};
