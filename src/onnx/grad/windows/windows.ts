import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { GradientWriter } from "../gradient_writer.ts";

/**
 * Windows along one axis of an image. The wide image has `stride · (windows − 1) + reach − begin − end + rest`
 * elements, the narrow image has one element per window.
 */
export interface Windows {
  /** Distance between adjacent windows, in elements of the image. */
  readonly stride: number;
  /** Distance between adjacent elements of a window, in elements of the image. */
  readonly dilation: number;
  /** Padding before the image, which is the distance from the start of the first window to the image. */
  readonly begin: number;
  /** Padding after the image, beyond which the last window does not extend. */
  readonly end: number;
  /**
   * Number of elements at the end of the wide image that no window reaches; `undefined` if it depends on variable
   * lengths.
   */
  readonly rest: number | undefined;
}

/** Lengths along one axis; `undefined` if they are variable. */
export interface Lengths {
  /** Length of the wide image. */
  readonly wide: number | undefined;
  /** Length of the narrow image. */
  readonly narrow: number | undefined;
  /** Number of elements in a window. */
  readonly kernel: number | undefined;
}

/** Returns the lengths along each spatial axis. */
export function lengthsAlong(
  write: GradientWriter,
  { wide, narrow, kernel }: {
    readonly wide: string;
    readonly narrow: string;
    readonly kernel: readonly (number | string)[];
  },
): Lengths[] {
  const known = (length: number | string | undefined) =>
    typeof length === "number" ? length : undefined;
  const [wides, narrows] = [write.lengthsOf(wide), write.lengthsOf(narrow)];
  return kernel.map((length, i) => ({
    wide: known(wides[i + 2]),
    narrow: known(narrows[i + 2]),
    kernel: known(length),
  }));
}

/** Properties of windows that follow from the attributes of a node. */
type Steps = Omit<Windows, "rest">;

/** Reads the attributes of a node for one spatial axis. `rank` is the number of spatial axes. */
function stepsOf(node: NodeProto, axis: number, rank: number): Steps {
  const at = (name: string, index: number, otherwise: number) =>
    intsAttribute(node, name)?.[index] ?? otherwise;
  const isGiven = textAttribute(node, "auto_pad", "NOTSET") === "NOTSET";
  return {
    stride: at("strides", axis, 1),
    dilation: at("dilations", axis, 1),
    begin: isGiven ? at("pads", axis, 0) : 0,
    end: isGiven ? at("pads", axis + rank, 0) : 0,
  };
}

/**
 * Splits padding between the beginning and the end. An odd element goes to the end for SAME_UPPER, otherwise to the
 * beginning.
 */
function parted(total: number, autoPad: string): { readonly begin: number; readonly end: number } {
  const less = Math.floor(total / 2);
  const begin = autoPad === "SAME_UPPER" ? less : total - less;
  return { begin, end: total - begin };
}

/**
 * Returns the windows of a convolution or a pool, which turns a wide image into a narrow one. If variable lengths
 * decide how far windows overhang (ceil_mode), the windows end with the image. If {@linkcode isShifted} returns true,
 * the padding is left out.
 */
export function windowsOver(node: NodeProto, lengths: readonly Lengths[]): Windows[] {
  const autoPad = textAttribute(node, "auto_pad", "NOTSET");
  const isSame = autoPad.startsWith("SAME"), isWithout = isShifted(node, lengths);
  const isCeil = intAttribute(node, "ceil_mode", 0) !== 0;
  return lengths.map((along, axis) => {
    const steps = stepsOf(node, axis, lengths.length), { stride } = steps;
    if (isWithout) return { ...steps, rest: reachOf(node, steps, along) < stride ? undefined : 0 };
    if (isSame) return sameWindows(node, steps, along, autoPad);
    if (stride === 1) return { ...steps, rest: 0 };
    const { wide, kernel } = along;
    if (wide !== undefined && kernel !== undefined) {
      return countedWindows(steps, wide, reachOf(node, steps, along), isCeil);
    }
    return { ...steps, ...isCeil ? { end: 0 } : {}, rest: undefined };
  });
}

/** Returns whether the padding that auto_pad demands depends on variable lengths. */
export function isShifted(node: NodeProto, lengths: readonly Lengths[]): boolean {
  return textAttribute(node, "auto_pad", "NOTSET").startsWith("SAME") &&
    lengths.some(({ wide }, axis) =>
      wide === undefined && stepsOf(node, axis, lengths.length).stride > 1
    );
}

/**
 * Returns the number of image elements that a window spans. Throws a RangeError if the size of the kernel is unknown.
 */
function reachOf(node: NodeProto, { dilation }: Steps, { kernel }: Lengths): number {
  if (kernel !== undefined) return (kernel - 1) * dilation + 1;
  throw new RangeError(
    `Cannot differentiate ${node.opType} "${node.name}": its padding depends on the size of its weights, which is ` +
      "unknown. Set kernel_shape, or write the pads explicitly",
  );
}

function sameWindows(node: NodeProto, steps: Steps, along: Lengths, autoPad: string): Windows {
  const reach = reachOf(node, steps, along), { stride } = steps, { wide = 0 } = along;
  const over = stride === 1 ? reach - 1 : (Math.ceil(wide / stride) - 1) * stride + reach - wide;
  return { ...steps, ...parted(Math.max(0, over), autoPad), rest: Math.max(0, -over) };
}

function countedWindows(steps: Steps, wide: number, reach: number, isCeil: boolean): Windows {
  const { stride, begin, end } = steps;
  const room = wide + begin + end - reach, rest = room % stride;
  // With ceil_mode there is one more window, which reaches farther, unless it would start in the padding at the
  // end.
  const isMore = isCeil && rest > 0 && Math.ceil(room / stride) * stride < wide + begin;
  return isMore ? { ...steps, end: end + stride - rest, rest: 0 } : { ...steps, rest };
}

/** Returns the windows of a transposed convolution, which turns a narrow image into a wide one. */
export function windowsUnder(node: NodeProto, lengths: readonly Lengths[]): Windows[] {
  const autoPad = textAttribute(node, "auto_pad", "NOTSET");
  const shape = intsAttribute(node, "output_shape")?.slice(-lengths.length);
  return lengths.map((along, axis) => {
    const steps = stepsOf(node, axis, lengths.length), { stride } = steps;
    const more = intsAttribute(node, "output_padding")?.[axis] ?? 0;
    if (shape === undefined && !autoPad.startsWith("SAME")) return { ...steps, rest: more };
    const count = shape === undefined ? 1 : along.narrow ?? free(node);
    const wide = shape?.[axis] ?? stride;
    const over = (count - 1) * stride + reachOf(node, steps, along) + more - wide;
    // Elements that are cut off at the end reduce the number of elements that no window reaches.
    const { begin, end } = parted(Math.max(0, over), autoPad), spare = Math.min(end, more);
    return { ...steps, begin, end: end - spare, rest: more - spare + Math.max(0, -over) };
  });
}

function free(node: NodeProto): never {
  throw new RangeError(
    `Cannot differentiate ${node.opType} "${node.name}": its padding depends on the size of its image, because it has ` +
      "an output_shape. Fix the size, or write the pads explicitly",
  );
}

/** Returns the attributes of a convolution with these windows. */
export function windowAttributes(windows: readonly Windows[]): {
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly pads: readonly number[];
} {
  return {
    strides: windows.map(({ stride }) => stride),
    dilations: windows.map(({ dilation }) => dilation),
    pads: [...windows.map(({ begin }) => begin), ...windows.map(({ end }) => end)],
  };
}
