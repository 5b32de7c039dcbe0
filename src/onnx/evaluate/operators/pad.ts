import { allocate } from "../memory.ts";
import { floatAttribute, textAttribute } from "../../codec/attributes.ts";
import { around } from "../lines.ts";
import { axesOf, listOf, refused, required } from "../operands.ts";
import type { Evaluate } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";

/** The place that an element comes from, for places that may lie outside; -1 for none. */
type Source = (place: number, length: number) => number;

/** The remainder that is never negative. */
function modulo(a: number, b: number): number {
  return (a % b + b) % b;
}

const SOURCES: Readonly<Record<string, Source>> = {
  constant: (place, length) => place >= 0 && place < length ? place : -1,
  edge: (place, length) => Math.max(0, Math.min(length - 1, place)),
  /** There and back, the first and last element once each. */
  reflect: (place, length) => {
    if (length === 1) return 0;
    const turn = modulo(place, 2 * (length - 1));
    return turn < length ? turn : 2 * (length - 1) - turn;
  },
  wrap: (place, length) => modulo(place, length),
};

/** Elements before and behind along some axes; where fewer than none, elements are cut off. */
export const pad: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), rank = x.dims.length;
  const mode = textAttribute(node, "mode", "constant"), source = SOURCES[mode];
  if (source === undefined) {
    throw refused(node, `its mode must be ${Object.keys(SOURCES).join(", ")}`, mode);
  }
  const pads = listOf(inputs, 1, node, "pads") ?? [];
  const axes = axesOf(inputs, 3, rank, node) ?? [...x.dims.keys()];
  if (pads.length !== 2 * axes.length) {
    throw refused(node, `its pads must be ${2 * axes.length} numbers`, `[${pads}]`);
  }
  const fill = inputs[2]?.data[0] ?? floatAttribute(node, "value", 0);
  // The modes do the same along every axis, so that one axis can be done after the other.
  return [axes.reduce((padded, axis, i) => {
    const before = pads[i]!, length = padded.dims[axis]!;
    const size = before + length + pads[axes.length + i]!;
    if (size < 0 || (length === 0 && size > 0 && mode !== "constant")) {
      throw refused(
        node,
        `axis ${axis} must have something to make a length of ${size} of`,
        length,
      );
    }
    const places = Int32Array.from({ length: size }, (_, place) => source(place - before, length));
    return before === 0 && size === length ? padded : taken(padded, axis, places, fill);
  }, x)];
};

/** The elements at these places along an axis. */
function taken(x: PlainTensor, axis: number, places: Int32Array, fill: number): PlainTensor {
  const { outer, length, inner } = around(x.dims, axis);
  const dims = x.dims.with(axis, places.length);
  const data = allocate(countOf(dims));
  let to = 0;
  for (let o = 0; o < outer; o++) {
    for (const place of places) {
      const from = (o * length + place) * inner;
      if (place === -1) data.fill(fill, to, to + inner);
      else if (inner > 16) data.set(x.data.subarray(from, from + inner), to);
      else for (let i = 0; i < inner; i++) data[to + i] = x.data[from + i]!; // far faster than a view
      to += inner;
    }
  }
  return { type: x.type, dims, data };
}
