import { divideLengths } from "../../infer/length.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { regrouped } from "../labeled.ts";
import { cutTo, type Edges, inside, padded } from "./image_edges.ts";
import { windowAttributes, type Windows } from "./windows.ts";

/** Parameters of a convolution between a wide and a narrow image. */
export interface Convolution {
  readonly windows: readonly Windows[];
  /** Number of groups of channels, which are convolved separately. */
  readonly group: number;
  /** Padding of the wide image in addition to the padding of the windows. */
  readonly edges?: Edges | undefined;
}

/** Adds a convolution of a wide image, and returns the name of the narrow image: [images, channels, …windows]. */
export function narrowed(
  write: GradientWriter,
  wide: string,
  weights: string,
  { windows, group, like }: Convolution & { readonly like: string },
): string {
  const narrow = write.make("Conv", [wide, weights], { ...windowAttributes(windows), group });
  const isWhole = windows.every(({ rest, stride }) => rest === undefined || rest < stride);
  return isWhole ? narrow : cutTo(write, narrow, like);
}

/**
 * Adds a transposed convolution of a narrow image, and returns the name of the wide image. Each element is multiplied
 * by the weights, and the products are added up where windows overlap.
 */
export function widened(
  write: GradientWriter,
  narrow: string,
  weights: string,
  { windows, group, edges, like }: Convolution & { readonly like: string },
): string {
  const more = windows.map(({ rest, stride }) => rest ?? stride - 1);
  const groups = spreadGroups(write, weights, group);
  const each = write.make("ConvTranspose", [narrow, weights], {
    ...windowAttributes(windows),
    ...more.some((rest) => rest > 0) ? { output_padding: more } : {},
    group: groups,
  });
  const wide = groups === group ? each : summedIn(write, each, group);
  // The number of elements that no window reaches may be known only at run time. If so, cut to the shape of `like`.
  const isWhole = edges === undefined && windows.every(({ rest }) => rest !== undefined);
  return isWhole ? wide : inside(write, wide, like, edges);
}

/**
 * Returns the number of groups of a transposed convolution. If each group has a single output channel, every input
 * channel becomes a group and the results are summed afterwards, because onnxruntime 1.30 uses wrong weights for such
 * groups on WebGPU.
 */
function spreadGroups(write: GradientWriter, weights: string, group: number): number {
  const [channels, made] = write.lengthsOf(weights);
  return group > 1 && made === 1 && typeof channels === "number" ? channels : group;
}

/** Adds nodes that sum [images, groups · channels, …] to [images, groups, …], and returns the name of the result. */
function summedIn(write: GradientWriter, x: string, group: number): string {
  const lengths = write.lengthsOf(x);
  const axis = (at: number) => ({ of: x, axis: at, length: lengths[at]! });
  const each = Number(lengths[1]) / group;
  const apart = regrouped(write, x, [
    [axis(0)],
    [{ ...axis(1), length: group }],
    [{ ...axis(1), length: each }],
    ...places(2, lengths.length).map((at) => [axis(at)]),
  ]);
  return write.reduceSum(apart, [2]);
}

/**
 * Adds the gradient of the weights, and returns its name. For each weight, it is the sum of the products of all pairs
 * of elements that the weight connects. It is the convolution of the wide image by the narrow one, with images as
 * channels, and strides and dilations exchanged.
 */
export function weighed(
  write: GradientWriter,
  wide: string,
  narrow: string,
  { windows, group, edges, like }: Convolution & { readonly like: string },
): string {
  const rank = windows.length + 2, turned = [1, 0, ...places(2, rank)];
  const product = write.make("Conv", [
    channelsFirst(write, padded(write, wide, edges), group),
    write.transpose(narrow, turned),
  ], {
    ...windowAttributes(windows.map((each) => ({
      ...each,
      stride: each.dilation,
      dilation: each.stride,
    }))),
    group,
  });
  const weights = write.transpose(product, turned);
  const isWhole = windows.every(({ rest, stride, dilation }) => (rest ?? stride - 1) < dilation);
  return isWhole ? weights : cutTo(write, weights, like);
}

/**
 * Adds nodes that transpose [images, groups · channels, …] to [channels, groups · images, …], and returns the name of
 * the result.
 */
function channelsFirst(write: GradientWriter, x: string, group: number): string {
  const lengths = write.lengthsOf(x), rank = lengths.length;
  if (group === 1) return write.transpose(x, [1, 0, ...places(2, rank)]);
  const length = divideLengths(lengths[1]!, group) ?? "?";
  const each = { of: x, axis: 1, length, divisor: group },
    groups = { of: x, axis: 1, length: group };
  const axis = (at: number) => ({ of: x, axis: at, length: lengths[at]! });
  const rest = places(2, rank).map((at) => [axis(at)]);
  const apart = regrouped(write, x, [[axis(0)], [groups], [each], ...rest]);
  const turned = write.transpose(apart, [2, 1, 0, ...places(3, rank + 1)]);
  return regrouped(write, turned, [[each], [groups, axis(0)], ...rest]);
}

/** Returns the integers from `from` up to but not including `to`. */
export function places(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
