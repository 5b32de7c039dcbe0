import { intAttribute, intsAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { places } from "./convolve.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { cutTo, imageLengths, padded } from "./image_edges.ts";
import { ones, type Pool, sizeOf } from "./pool.ts";
import type { Step } from "../rule.ts";
import { type Lengths, windowAttributes } from "./windows.ts";

/**
 * Adds nodes that divide the gradient of each window by the number of elements in its average, and returns the name
 * of the result.
 */
export function partsOf(write: GradientWriter, pool: Pool, { a, y, g }: Step): string {
  const { node, windows, kernel, lengths, edges } = pool;
  const whole = sizeOf(kernel);
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

/**
 * Adds nodes that count the elements of each window at run time, by applying the same windows to an image of ones.
 * Returns the name of the result.
 */
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
  // Windows that overhang the image count, too, so pad enough for each of them.
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

/** Returns the number of elements in the average of each window along one axis; `undefined` if lengths are variable. */
function countsAlong(
  { node, windows, lengths, kernel }: Pool,
  { wide, narrow }: Lengths,
  axis: number,
): number[] | undefined {
  if (wide === undefined || narrow === undefined) return undefined;
  const { stride, dilation, begin, end } = windows[axis]!;
  // With ceil_mode, windows may reach beyond the padding. Elements there are never counted.
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
