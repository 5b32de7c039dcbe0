import { intsAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Edges, edgesOf } from "./image_edges.ts";
import { axesOf, labeled, regrouped } from "../labeled.ts";
import { type Lengths, lengthsAlong, type Windows, windowsOver } from "./windows.ts";

/** Parameters of a pooling operator. */
export interface Pool {
  readonly node: NodeProto;
  readonly windows: readonly Windows[];
  readonly lengths: readonly Lengths[];
  readonly kernel: readonly number[];
  readonly edges: Edges | undefined;
}

/** Returns the parameters of a pooling operator with the input `a` and the output `y`. */
export function poolOf(write: GradientWriter, node: NodeProto, a: string, y: string): Pool {
  const kernel = intsAttribute(node, "kernel_shape") ?? [];
  const lengths = lengthsAlong(write, { wide: a, narrow: y, kernel });
  const edges = edgesOf(write, { node, wide: a, narrow: y, lengths });
  return { node, windows: windowsOver(node, lengths), lengths, kernel, edges };
}

/**
 * Adds a Reshape that makes each channel a separate image with one channel, so that one kernel applies to all
 * channels. Returns the name of the result. `like` is a value of the same shape with known lengths.
 */
export function oneChannel(write: GradientWriter, x: string, like: string): string {
  const labels = write.lengthsOf(like).map((_, axis) => `${axis}`);
  const whole = labeled(write, x, labels, write.lengthsOf(like));
  const rest = labels.slice(2).map((label) => axesOf([whole], [label]));
  return regrouped(write, x, [axesOf([whole], ["0", "1"]), [], ...rest]);
}

/**
 * Adds a constant with the weights of a kernel of ones for one channel, and returns its name. It has the element type
 * of `like`.
 */
export function ones(write: GradientWriter, kernel: readonly number[], like: string): string {
  const all = new Float64Array(sizeOf(kernel)).fill(1);
  return write.graph.constantOf(write.typeOf(like), all, [
    1,
    1,
    ...kernel,
  ]);
}

/** Returns the number of elements in a window. */
export function sizeOf(kernel: readonly number[]): number {
  return kernel.reduce((product, length) => product * length, 1);
}
