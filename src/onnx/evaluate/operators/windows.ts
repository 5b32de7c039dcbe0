/**
 * Sliding windows over the spatial axes of an image, for convolutions and pools.
 *
 * @module
 */

import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";

/** Windows that slide over an image. Each list has one entry per spatial axis. */
export interface Windows {
  /** Shape of the image. */
  readonly image: readonly number[];
  /** Shape of a window. */
  readonly kernel: readonly number[];
  /** Distance between adjacent windows, in elements of the image. */
  readonly strides: readonly number[];
  /** Distance between adjacent elements of a window, in elements of the image. */
  readonly dilations: readonly number[];
  /** Padding before the image. */
  readonly begin: readonly number[];
  /** Padding after the image. */
  readonly end: readonly number[];
  /** Number of windows along each axis. */
  readonly counts: readonly number[];
}

/** Attributes of a node that describe its windows. */
export interface Steps {
  /** Distance between adjacent windows along each axis, in elements of the image. */
  readonly strides: readonly number[];
  /** Distance between adjacent elements of a window along each axis, in elements of the image. */
  readonly dilations: readonly number[];
  /** Padding before each axis, followed by the padding after each axis. */
  readonly pads: readonly number[];
  /** Attribute `auto_pad`: the method that computes the padding, or "NOTSET" to use `pads`. */
  readonly autoPad: string;
}

/** Reads the window attributes of a node for an image with `rank` spatial axes. */
export function stepsOf(node: NodeProto, rank: number): Steps {
  const filled = (count: number, value: number) => Array.from({ length: count }, () => value);
  return {
    strides: intsAttribute(node, "strides") ?? filled(rank, 1),
    dilations: intsAttribute(node, "dilations") ?? filled(rank, 1),
    pads: intsAttribute(node, "pads") ?? filled(2 * rank, 0),
    autoPad: textAttribute(node, "auto_pad", "NOTSET"),
  };
}

/** Returns the number of image elements that a window spans along an axis. */
export function reach(kernel: number, dilation: number): number {
  return (kernel - 1) * dilation + 1;
}

/** Returns the windows of a convolution or a pool. */
export function windowsOver(
  node: NodeProto,
  image: readonly number[],
  kernel: readonly number[],
): Windows {
  const { strides, dilations, pads, autoPad } = stepsOf(node, image.length);
  const isCeil = intAttribute(node, "ceil_mode", 0) !== 0;
  const axes = image.map((length, axis) => {
    const stride = strides[axis]!, size = reach(kernel[axis]!, dilations[axis]!);
    if (autoPad.startsWith("SAME")) return sameAxis(length, stride, size, autoPad);
    const isGiven = autoPad !== "VALID";
    const begin = isGiven ? pads[axis]! : 0, end = isGiven ? pads[axis + image.length]! : 0;
    return { begin, end, count: windowCount(length + begin, end, { stride, size, isCeil }) };
  });
  return {
    image,
    kernel,
    strides,
    dilations,
    begin: axes.map(({ begin }) => begin),
    end: axes.map(({ end }) => end),
    counts: axes.map(({ count }) => Math.max(0, count)),
  };
}

/**
 * Returns the padding and the number of windows along an axis for SAME padding. The number of windows is the length
 * divided by the stride, rounded up. The required padding is split between the beginning and the end.
 */
function sameAxis(length: number, stride: number, size: number, autoPad: string) {
  const count = Math.ceil(length / stride);
  const total = Math.max(0, (count - 1) * stride + size - length);
  const less = Math.floor(total / 2);
  const begin = autoPad === "SAME_UPPER" ? less : total - less;
  return { begin, end: total - begin, count };
}

/**
 * Returns the number of windows along an axis. With ceil_mode the last window may extend beyond the image, but must
 * not start in the padding at the end.
 */
function windowCount(
  length: number,
  end: number,
  { stride, size, isCeil }: { stride: number; size: number; isCeil: boolean },
): number {
  const steps = (length + end - size) / stride;
  if (!isCeil) return Math.floor(steps) + 1;
  const count = Math.ceil(steps) + 1;
  return (count - 1) * stride >= length ? count - 1 : count;
}

/** Position of a window element in the padding. */
export const IN_PADDING = -1;
/** Position of a window element beyond the padding. */
export const BEYOND = -2;

/**
 * Returns the position in the image of each element of each window, window by window. The position is {@linkcode
 * IN_PADDING} or {@linkcode BEYOND} for elements outside of the image.
 */
export function placesOf(windows: Windows): Int32Array {
  const { image, kernel, counts } = windows;
  let places = new Int32Array(1);
  // Proceed axis by axis: extend the positions over the axes so far by one more axis.
  let [windowsBefore, sizeBefore] = [1, 1];
  for (let axis = 0; axis < image.length; axis++) {
    places = withAxis(windows, axis, places, windowsBefore, sizeBefore);
    windowsBefore *= counts[axis]!;
    sizeBefore *= kernel[axis]!;
  }
  return places;
}

/** Returns positions over one more axis, which varies faster than the axes that `before` covers. */
// hot
function withAxis(
  windows: Windows,
  axis: number,
  before: Int32Array<ArrayBuffer>,
  windowsBefore: number,
  sizeBefore: number,
): Int32Array<ArrayBuffer> {
  const count = windows.counts[axis]!, size = windows.kernel[axis]!;
  const places = new Int32Array(before.length * count * size);
  let to = 0;
  for (let window = 0; window < windowsBefore; window++) {
    for (let i = 0; i < count; i++) {
      for (let element = 0; element < sizeBefore; element++) {
        const outer = before[window * sizeBefore + element]!;
        for (let j = 0; j < size; j++) places[to++] = placeOn(windows, axis, outer, i, j);
      }
    }
  }
  return places;
}

/**
 * Returns the position of a window element over the axes up to `axis`. `outer` is its position over the axes before.
 */
function placeOn(
  { image, strides, dilations, begin, end }: Windows,
  axis: number,
  outer: number,
  window: number,
  element: number,
): number {
  const length = image[axis]!;
  const at = window * strides[axis]! + element * dilations[axis]! - begin[axis]!;
  if (outer === BEYOND || at >= length + end[axis]!) return BEYOND;
  if (outer === IN_PADDING || at < 0 || at >= length) return IN_PADDING;
  return outer * length + at;
}
