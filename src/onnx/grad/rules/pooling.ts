import { type Attributes, intAttribute, intsAttribute, textAttribute } from "../../attributes.ts";
import type { NodeProto } from "../../messages.ts";
import { places, widened } from "../convolve.ts";
import { cutTo, type Edges, edgesOf, imageLengths, padded } from "../image_edges.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { axesOf, labelled, regrouped } from "../labelled.ts";
import type { GradientRule, Step } from "../rule.ts";
import {
  type Lengths,
  lengthsAlong,
  windowAttributes,
  type Windows,
  windowsOver,
} from "../windows.ts";

/** What comes back for a window goes on to the largest element of it: the first one among equals. */
const maxPool: GradientRule = ({ node, outputs, a, g }, write) => [() => {
  const flat = write.reshape(a, [-1]);
  const indices = write.reshape(outputs[1] || indicesOf(write, node, a), [-1]);
  const zeros = write.zeros(flat), values = write.reshape(g, [-1]);
  const added = write.make("ScatterElements", [zeros, indices, values], {
    axis: 0,
    reduction: "add",
  });
  return write.reshapeLike(added, a);
}];

/** Where the largest elements are, counted over the whole tensor. */
function indicesOf(write: GradientWriter, node: NodeProto, a: string): string {
  const attributes: Record<string, Attributes[string]> = {
    auto_pad: textAttribute(node, "auto_pad", "NOTSET"),
    ceil_mode: intAttribute(node, "ceil_mode", 0),
  };
  for (const name of ["kernel_shape", "strides", "dilations", "pads"]) {
    const values = intsAttribute(node, name);
    if (values !== undefined) attributes[name] = values;
  }
  return write.graph.add("MaxPool", [a], { attributes, outputs: 2 }).output[1]!;
}

/** What comes back for a window goes on to its elements, in equal parts. */
const averagePool: GradientRule = (step, write) => {
  const { node, a, y } = step;
  const kernel = intsAttribute(node, "kernel_shape") ?? [];
  const lengths = lengthsAlong(write, { wide: a, narrow: y, kernel });
  const edges = edgesOf(write, { node, wide: a, narrow: y, lengths });
  const pool = { node, windows: windowsOver(node, lengths), lengths, kernel, edges };
  return [() => {
    // Each channel is an image of its own, so that all share one window of ones.
    const labels = write.lengthsOf(y).map((_, axis) => `${axis}`);
    const parts = labelled(write, partsOf(write, pool, step), labels, write.lengthsOf(y));
    const narrow = regrouped(write, parts.name, [
      axesOf([parts], ["0", "1"]),
      [],
      ...labels.slice(2).map((label) => axesOf([parts], [label])),
    ]);
    const { windows } = pool;
    const wide = widened(write, narrow, ones(write, kernel, a), {
      windows,
      group: 1,
      edges,
      like: a,
    });
    return write.reshapeLike(wide, a);
  }];
};

/** A pool whose rule is asked. */
interface Pool {
  readonly node: NodeProto;
  readonly windows: readonly Windows[];
  readonly lengths: readonly Lengths[];
  readonly kernel: readonly number[];
  readonly edges: Edges | undefined;
}

/** A window with weights of 1, for one channel. */
function ones(write: GradientWriter, kernel: readonly number[], like: string): string {
  const count = kernel.reduce((product, length) => product * length, 1);
  return write.graph.constantOf(write.typeOf(like), new Float64Array(count).fill(1), [
    ...[1, 1],
    ...kernel,
  ]);
}

/** What comes back for each window, divided by the number of its elements that count. */
function partsOf(write: GradientWriter, pool: Pool, { a, y, g }: Step): string {
  const { node, windows, kernel, lengths, edges } = pool;
  const whole = kernel.reduce((product, length) => product * length, 1);
  const counts = lengths.map((length, axis) => countsAlong(pool, length, axis));
  if (counts.every((along) => along !== undefined)) {
    const all = outerProduct(counts);
    if (all.every((count) => count === whole)) return write.mul(g, 1 / whole);
    const shape = [1, 1, ...counts.map((along) => along.length)];
    return write.div(g, write.graph.constantOf(write.typeOf(g), all, shape));
  }
  const isCeil = intAttribute(node, "ceil_mode", 0) !== 0;
  const isPadded = edges !== undefined || windows.some(({ begin, end }) => begin + end > 0);
  if (!isCeil && (!isPadded || countsPadding(node))) return write.mul(g, 1 / whole);
  return write.div(g, countsOver(write, pool, a, y));
}

/** How many elements of each window count, where lengths are free: the same windows over an image of ones. */
function countsOver(write: GradientWriter, pool: Pool, a: string, y: string): string {
  const { node, windows, kernel, edges } = pool;
  const pads = intsAttribute(node, "pads") ?? [...kernel, ...kernel].fill(0);
  const around = kernel.map((_, axis) => pads[axis]! + pads[axis + kernel.length]!);
  const isWide = countsPadding(node) && edges === undefined;
  const lengths = isWide
    ? write.make("Add", [imageLengths(write, a), write.ints(around)])
    : imageLengths(write, a);
  const shape = write.make("Concat", [write.ints([1, 1]), lengths], { axis: 0 });
  const image = padded(write, write.make("Expand", [write.number(1, a), shape]), edges);
  // Windows that overhang are counted too: with more than enough behind the image, there is one for each.
  const over = windows.map((each, axis) => ({
    ...each,
    begin: isWide ? 0 : each.begin,
    end: each.end + kernel[axis]! * each.dilation + each.stride,
  }));
  const counts = write.make("Conv", [image, ones(write, kernel, a)], windowAttributes(over));
  return cutTo(write, counts, y);
}

function countsPadding(node: NodeProto): boolean {
  return intAttribute(node, "count_include_pad", 0) !== 0;
}

/** How many elements of each window count along one axis; `undefined` where lengths are free. */
function countsAlong(
  { node, windows, lengths, kernel }: Pool,
  { wide, narrow }: Lengths,
  axis: number,
): number[] | undefined {
  if (wide === undefined || narrow === undefined) return undefined;
  const { stride, dilation, begin, end } = windows[axis]!;
  // Windows of ceil_mode reach over more than the padding, which never counts.
  const isGiven = textAttribute(node, "auto_pad", "NOTSET") === "NOTSET";
  const padding = isGiven ? intsAttribute(node, "pads")?.[axis + lengths.length] ?? 0 : end;
  const [from, to] = countsPadding(node) ? [-begin, wide + padding] : [0, wide];
  return places(0, narrow).map((window) => {
    const at = places(0, kernel[axis]!).map((k) => window * stride + k * dilation - begin);
    return at.filter((place) => place >= from && place < to).length;
  });
}

function outerProduct(vectors: readonly (readonly number[])[]): number[] {
  return vectors.reduce<number[]>((all, vector) => all.flatMap((x) => vector.map((y) => x * y)), [
    1,
  ]);
}

/** What comes back goes to all elements, in equal parts. */
const globalAveragePool: GradientRule = ({ a, g }, write) => [() => {
  const lengths = write.lengthsOf(a).slice(2);
  const count = lengths.reduce<number>((product, length) => product * Number(length), 1);
  if (!Number.isNaN(count)) return write.expandLike(write.mul(g, 1 / count), a);
  const labels = write.lengthsOf(a).map((_, axis) => `${axis}`);
  const elements = axesOf([labelled(write, a, labels)], labels.slice(2))
    .map(({ of, axis }) => write.lengthOf(of, axis))
    .reduce((product, length) => write.make("Mul", [product, length]));
  return write.expandLike(write.div(g, write.cast(elements, write.typeOf(a))), a);
}];

/** What comes back goes to the largest element: the first one among equals. */
const globalMaxPool: GradientRule = ({ a, g }, write) => [() => {
  const labels = write.lengthsOf(a).map((_, axis) => `${axis}`), whole = labelled(write, a, labels);
  const flat = labels.length === 3 ? a : regrouped(write, a, [
    axesOf([whole], ["0"]),
    axesOf([whole], ["1"]),
    axesOf([whole], labels.slice(2)),
  ]);
  const largest = write.make("ArgMax", [flat], { axis: 2, keepdims: 1 });
  const values = write.squeeze(g, places(3, labels.length));
  const set = write.make("ScatterElements", [write.zeros(flat), largest, values], { axis: 2 });
  return write.reshapeLike(set, a);
}];

/** Operators that make one number of each window, or of each channel. */
export const POOLING: Readonly<Record<string, GradientRule>> = {
  AveragePool: averagePool,
  GlobalAveragePool: globalAveragePool,
  GlobalMaxPool: globalMaxPool,
  MaxPool: maxPool,
};
