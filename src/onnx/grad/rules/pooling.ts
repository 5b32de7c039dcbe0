import { intAttribute } from "../../codec/attributes.ts";
import { places, widened } from "../windows/convolve.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { cutTo, padded } from "../windows/image_edges.ts";
import { axesOf, labeled, regrouped } from "../labeled.ts";
import { oneChannel, ones, type Pool, poolOf, sizeOf } from "../windows/pool.ts";
import type { OperatorGradient } from "../rule.ts";
import { partsOf } from "../windows/window_counts.ts";
import { windowAttributes } from "../windows/windows.ts";

/** Rule of MaxPool. The gradient of a window goes to its largest element, or to the first of several equal ones. */
const maxPool: OperatorGradient = ({ node, outputs, a, y, g }, write) => [() => {
  if (outputs[1] !== undefined && outputs[1] !== "") return scattered(write, a, outputs[1], g);
  // Without the optional indices, which WebGPU cannot compute, list the elements of each window along an axis.
  const pool = poolOf(write, node, a, y), { windows, edges, kernel } = pool;
  const each = write.graph.constantOf(write.typeOf(a), identity(kernel), [
    sizeOf(kernel),
    1,
    ...kernel,
  ]);
  const elements = write.make("Conv", [surrounded(write, pool, a), each], {
    ...windowAttributes(windows.map((along) => ({ ...along, begin: 0, end: 0 }))),
  });
  const largest = write.make("ArgMax", [cutTo(write, elements, y)], { axis: 1, keepdims: 1 });
  const order = write.graph.constantOf("i32", places(0, sizeOf(kernel)), [
    sizeOf(kernel),
    ...kernel.map(() => 1),
  ]);
  const isLargest = write.make("Equal", [write.cast(largest, "i32"), order]);
  const parts = write.where(isLargest, oneChannel(write, g, y), 0);
  return write.reshapeLike(widened(write, parts, each, { windows, group: 1, edges, like: a }), a);
}];

/**
 * Adds nodes that scatter gradients to `indices`, which are positions in the flattened tensor, and returns the name
 * of the result.
 */
function scattered(write: GradientWriter, a: string, indices: string, g: string): string {
  const zeros = write.zeros(write.reshape(a, [-1]));
  const added = write.make("ScatterElements", [
    zeros,
    write.reshape(indices, [-1]),
    write.reshape(g, [-1]),
  ], { axis: 0, reduction: "add" });
  return write.reshapeLike(added, a);
}

/**
 * Returns the weights of one convolution kernel per element of a window. Each kernel has a 1 at that element and 0
 * elsewhere.
 */
function identity(kernel: readonly number[]): Float64Array {
  const size = sizeOf(kernel);
  return Float64Array.from({ length: size * size }, (_, i) => i % (size + 1) === 0 ? 1 : 0);
}

/**
 * Adds nodes that pad channels with numbers that are never the largest, and returns the name of the result.
 * Infinities are clipped, because infinity times 0 is NaN.
 */
function surrounded(write: GradientWriter, pool: Pool, a: string): string {
  const { node, windows, kernel, edges } = pool;
  const lowest = write.typeOf(a) === "f16" ? -65504 : -3e38;
  const x = write.make("Clip", [oneChannel(write, a, a), lowest, -lowest]);
  if (edges !== undefined) return padded(write, x, edges, lowest);
  const isOpen = intAttribute(node, "ceil_mode", 0) !== 0;
  const begins = windows.map(({ begin }) => begin);
  // If variable lengths decide how far windows overhang, pad enough for any of them.
  const ends = windows.map(({ end, stride, dilation, rest }, axis) =>
    isOpen && rest === undefined ? kernel[axis]! * dilation + stride : end
  );
  if ([...begins, ...ends].every((count) => count === 0)) return x;
  return padded(write, x, { begins: write.ints(begins), ends: write.ints(ends) }, lowest);
}

/** Rule of AveragePool. Divides the gradient of a window equally among its elements. */
const averagePool: OperatorGradient = (step, write) => {
  const { node, a, y } = step;
  const pool = poolOf(write, node, a, y), { windows, edges, kernel } = pool;
  return [() => {
    const parts = oneChannel(write, partsOf(write, pool, step), y);
    const plan = { windows, group: 1, edges, like: a };
    return write.reshapeLike(widened(write, parts, ones(write, kernel, a), plan), a);
  }];
};

/** Rule of GlobalAveragePool. Divides the gradient of a channel equally among its elements. */
const globalAveragePool: OperatorGradient = ({ a, g }, write) => [() => {
  const lengths = write.lengthsOf(a).slice(2);
  const count = lengths.reduce<number>((product, length) => product * Number(length), 1);
  if (!Number.isNaN(count)) return write.expandLike(write.mul(g, 1 / count), a);
  const labels = write.lengthsOf(a).map((_, axis) => `${axis}`);
  const elements = axesOf([labeled(write, a, labels)], labels.slice(2))
    .map(({ of, axis }) => write.lengthOf(of, axis))
    .reduce((product, length) => write.make("Mul", [product, length]));
  return write.expandLike(write.div(g, write.cast(elements, write.typeOf(a))), a);
}];

/**
 * Rule of GlobalMaxPool. The gradient goes to the largest element of a channel, or to the first of several equal
 * ones.
 */
const globalMaxPool: OperatorGradient = ({ a, g }, write) => [() => {
  const labels = write.lengthsOf(a).map((_, axis) => `${axis}`), whole = labeled(write, a, labels);
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

/** Rules of pooling over windows, and over whole channels. */
export const POOLING: Readonly<Record<string, OperatorGradient>> = {
  AveragePool: averagePool,
  GlobalAveragePool: globalAveragePool,
  GlobalMaxPool: globalMaxPool,
  MaxPool: maxPool,
};
