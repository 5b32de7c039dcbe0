/**
 * Operators that look through windows, for random graphs: over channels of lists.
 *
 * @module
 */

import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import { areDistinct, type Known, type Operator } from "./random_making.ts";

/** Of a batch of channels of a list. */
const overLists = (operator: Operator): Operator => (making) =>
  making.a.dims.length === 3 ? operator(making) : undefined;

/** A width that a list has room for, and zeros around it that are narrower. */
function windowOf(a: Known, random: (n: number) => number): Attributes {
  const width = 1 + random(a.dims[2]!);
  return {
    kernel_shape: [width],
    pads: [random(width), random(width)],
    strides: [1 + random(2)],
  };
}

/** Convolutions and pools. */
export const WINDOWS: Readonly<Record<string, Operator>> = {
  Conv: overLists(({ a, values, pick, random }) => {
    const fits = ({ dims }: Known) =>
      dims.length === 3 && dims[1] === a.dims[1] && dims[2]! <= a.dims[2]!;
    const w = pick(values.filter(fits));
    if (w === undefined) return undefined;
    const width = w.dims[2]!, pads = [random(width), random(width)];
    const bias = pick(values.filter(({ dims }) => dims.length === 1 && dims[0] === w.dims[0]));
    const inputs = bias === undefined ? [a.name, w.name] : [a.name, w.name, bias.name];
    return { inputs, attributes: { pads, strides: [1 + random(2)] } };
  }),
  AveragePool: overLists(({ a, random }) => ({
    inputs: [a.name],
    attributes: { ...windowOf(a, random), count_include_pad: random(2) },
  })),
  MaxPool: overLists(({ a, random }) =>
    areDistinct(a) ? { inputs: [a.name], attributes: windowOf(a, random) } : undefined
  ),
  GlobalAveragePool: overLists(({ a }) => ({ inputs: [a.name] })),
};
