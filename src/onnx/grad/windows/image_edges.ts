import { intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { isShifted, type Lengths } from "./windows.ts";

/**
 * Names of two values with the padding of an image at the beginnings and at the ends of its spatial axes. The padding
 * is computed at run time.
 */
export interface Edges {
  readonly begins: string;
  readonly ends: string;
}

/**
 * Adds nodes that compute the padding of a convolution or pool whose auto_pad depends on variable lengths, and
 * returns their names; otherwise returns `undefined`.
 */
export function edgesOf(
  write: GradientWriter,
  { node, wide, narrow, lengths }: {
    readonly node: NodeProto;
    readonly wide: string;
    readonly narrow: string;
    readonly lengths: readonly Lengths[];
  },
): Edges | undefined {
  if (!isShifted(node, lengths)) return undefined;
  const strides = intsAttribute(node, "strides") ?? lengths.map(() => 1);
  const dilations = intsAttribute(node, "dilations") ?? lengths.map(() => 1);
  const reach = lengths.map(({ kernel = 1 }, axis) => (kernel - 1) * dilations[axis]! + 1);
  const int = (op: string, x: string, values: readonly number[]) =>
    write.make(op, [x, write.ints(values)]);
  const steps = int("Mul", int("Sub", imageLengths(write, narrow), [1]), strides);
  const over = write.sub(int("Add", steps, reach), imageLengths(write, wide));
  const total = int("Max", over, [0]);
  const less = int("Div", total, [2]), more = write.sub(total, less);
  return textAttribute(node, "auto_pad", "NOTSET") === "SAME_UPPER"
    ? { begins: less, ends: more }
    : { begins: more, ends: less };
}

/** Returns the name of the lengths of the spatial axes, an int64 tensor with one axis. */
export function imageLengths(write: GradientWriter, x: string): string {
  const lengths = write.lengthsOf(x).slice(2);
  return lengths.every((length) => typeof length === "number")
    ? write.ints(lengths as number[])
    : write.make("Shape", [x], { start: 2 });
}

/**
 * Adds a node that pads an image with `value`, and returns the name of the result. Returns x itself if `edges` is
 * `undefined`.
 */
export function padded(
  write: GradientWriter,
  x: string,
  edges: Edges | undefined,
  value = 0,
): string {
  if (edges === undefined) return x;
  const none = write.ints([0, 0]);
  const pads = write.make("Concat", [none, edges.begins, none, edges.ends], { axis: 0 });
  return write.make("Pad", value === 0 ? [x, pads] : [x, pads, write.number(value, x)]);
}

/**
 * Adds a node that removes the padding of an image, and returns the name of the result, which has the spatial lengths
 * of `like`.
 */
export function inside(
  write: GradientWriter,
  x: string,
  like: string,
  edges: Edges | undefined,
): string {
  if (edges === undefined) return cutTo(write, x, like);
  const ends = write.add(edges.begins, imageLengths(write, like));
  return write.make("Slice", [x, edges.begins, ends, imageAxes(write, x)]);
}

/**
 * Adds a Slice that keeps as many leading elements along each spatial axis as `like` has, and returns the name of the
 * result.
 */
export function cutTo(write: GradientWriter, x: string, like: string): string {
  const own = write.lengthsOf(x).slice(2), lengths = write.lengthsOf(like).slice(2);
  if (own.every((length, axis) => length === lengths[axis])) return x;
  const starts = write.ints(own.map(() => 0));
  return write.make("Slice", [x, starts, imageLengths(write, like), imageAxes(write, x)]);
}

function imageAxes(write: GradientWriter, x: string): string {
  return write.ints(write.lengthsOf(x).slice(2).map((_, axis) => axis + 2));
}
