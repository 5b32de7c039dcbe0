import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { GradientWriter } from "../gradient_writer.ts";

/**
 * How windows lie along one axis of an image. An image of `stride · (windows − 1) + reach − begin − end + rest`
 * elements is wide, what has one element per window is narrow.
 */
export interface Windows {
  /** From one window to the next. */
  readonly stride: number;
  /** From one element of a window to the next. */
  readonly dilation: number;
  /** How far the first window begins before the image. */
  readonly begin: number;
  /** How far the last one may reach behind it. */
  readonly end: number;
  /** Elements at the end that no window reaches; `undefined` where that depends on lengths that are free. */
  readonly rest: number | undefined;
}

/** The lengths along one axis, `undefined` where they are free. */
export interface Lengths {
  /** Of the wide image. */
  readonly wide: number | undefined;
  /** Of the narrow one. */
  readonly narrow: number | undefined;
  /** Elements of a window. */
  readonly kernel: number | undefined;
}

/** The lengths along the axes of an image, behind its channels. */
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

/** What a node says of its windows along one axis. */
type Steps = Omit<Windows, "rest">;

/** The steps that a node says for one axis of so many. */
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

/** Parts what is put around an image: more of it behind for SAME_UPPER, more before it else. */
function parted(total: number, autoPad: string): { readonly begin: number; readonly end: number } {
  const less = Math.floor(total / 2);
  const begin = autoPad === "SAME_UPPER" ? less : total - less;
  return { begin, end: total - begin };
}

/**
 * The windows of a convolution or a pool, which has a wide image and makes a narrow one. Where they overhang the image
 * by as much as free lengths say (ceil_mode), they end with it; where padding is {@linkcode isShifted}, there is none.
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

/** Does padding depend on lengths that are free? */
export function isShifted(node: NodeProto, lengths: readonly Lengths[]): boolean {
  return textAttribute(node, "auto_pad", "NOTSET").startsWith("SAME") &&
    lengths.some(({ wide }, axis) =>
      wide === undefined && stepsOf(node, axis, lengths.length).stride > 1
    );
}

/** How many elements of the image a window reaches over. */
function reachOf(node: NodeProto, { dilation }: Steps, { kernel }: Lengths): number {
  if (kernel !== undefined) return (kernel - 1) * dilation + 1;
  throw new RangeError(
    `Cannot differentiate ${node.opType} "${node.name}" as the lengths of its weights must be numbers where padding ` +
      "depends on them (say them with kernel_shape, or write the pads out): current value is free",
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
  // One more window, which reaches farther, unless it would begin behind the image.
  const isMore = isCeil && rest > 0 && Math.ceil(room / stride) * stride < wide + begin;
  return isMore ? { ...steps, end: end + stride - rest, rest: 0 } : { ...steps, rest };
}

/** The windows of a transposed convolution, which has a narrow image and makes a wide one. */
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
    // What is cut off at the end is taken from what no window reaches.
    const { begin, end } = parted(Math.max(0, over), autoPad), spare = Math.min(end, more);
    return { ...steps, begin, end: end - spare, rest: more - spare + Math.max(0, -over) };
  });
}

function free(node: NodeProto): never {
  throw new RangeError(
    `Cannot differentiate ${node.opType} "${node.name}" as the lengths of its image must be numbers where it has ` +
      "an output_shape (fix them, or write the pads out): current value is free",
  );
}

/** The attributes of an operator with these windows. */
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
