/**
 * Windows that slide over the axes of an image, for convolutions and pools.
 *
 * @module
 */

import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";

/** How windows lie over an image, one entry per axis of it. */
export interface Windows {
  /** Lengths of the image. */
  readonly image: readonly number[];
  /** Elements of a window along each axis. */
  readonly kernel: readonly number[];
  /** From one window to the next. */
  readonly strides: readonly number[];
  /** From one element of a window to the next. */
  readonly dilations: readonly number[];
  /** How far the first window begins before the image. */
  readonly begin: readonly number[];
  /** What is put behind the image. */
  readonly end: readonly number[];
  /** How many windows there are along each axis. */
  readonly counts: readonly number[];
}

/** The steps of a node's windows. */
export interface Steps {
  /** From one window to the next along each axis. */
  readonly strides: readonly number[];
  /** From one element of a window to the next. */
  readonly dilations: readonly number[];
  /** What the node says of the space before each axis, then of that behind each. */
  readonly pads: readonly number[];
  /** How the node wants to have it found otherwise. */
  readonly autoPad: string;
}

/** The steps of a node's windows over an image with so many axes. */
export function stepsOf(node: NodeProto, rank: number): Steps {
  const filled = (count: number, value: number) => Array.from({ length: count }, () => value);
  return {
    strides: intsAttribute(node, "strides") ?? filled(rank, 1),
    dilations: intsAttribute(node, "dilations") ?? filled(rank, 1),
    pads: intsAttribute(node, "pads") ?? filled(2 * rank, 0),
    autoPad: textAttribute(node, "auto_pad", "NOTSET"),
  };
}

/** How far a window reaches along an axis. */
export function reach(kernel: number, dilation: number): number {
  return (kernel - 1) * dilation + 1;
}

/** The windows that a convolution or a pool has over an image. */
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

/** As many windows as strides fit into the image; what they reach over is put on both sides. */
function sameAxis(length: number, stride: number, size: number, autoPad: string) {
  const count = Math.ceil(length / stride);
  const total = Math.max(0, (count - 1) * stride + size - length);
  const less = Math.floor(total / 2);
  const begin = autoPad === "SAME_UPPER" ? less : total - less;
  return { begin, end: total - begin, count };
}

/** A window of which only a part is over the image may be the last one, but not one that begins behind it. */
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

/** An element of a window that is over what was put around the image. */
export const IN_PADDING = -1;
/** An element of a window that is over nothing at all. */
export const BEYOND = -2;

/**
 * For each window and each of its elements the place in the image: {@linkcode IN_PADDING} or {@linkcode BEYOND}
 * where it is not over the image.
 */
export function placesOf(windows: Windows): Int32Array {
  const { image, kernel, counts } = windows;
  let places = new Int32Array(1);
  // Axis by axis: the places of all windows over the axes so far, and then of those over one more.
  let [windowsBefore, sizeBefore] = [1, 1];
  for (let axis = 0; axis < image.length; axis++) {
    places = withAxis(windows, axis, places, windowsBefore, sizeBefore);
    windowsBefore *= counts[axis]!;
    sizeBefore *= kernel[axis]!;
  }
  return places;
}

/** The places with one more axis, which is faster than those before. */
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

/** The place of one element of one window, given that over the axes before. */
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
