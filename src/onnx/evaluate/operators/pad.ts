import { allocate } from "../memory.ts";
import { floatAttribute, textAttribute } from "../../codec/attributes.ts";
import { around } from "../lines.ts";
import { axesOf, listOf, refused, required } from "../operands.ts";
import type { Evaluate } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";

/**
 * Returns the position from which an element is copied; -1 for the fill value. `place` is the position without
 * padding, which may be out of range.
 */
type Source = (place: number, length: number) => number;

/** Returns a modulo b with a result from 0 to b - 1. */
function modulo(a: number, b: number): number {
  return (a % b + b) % b;
}

const SOURCES: Readonly<Record<string, Source>> = {
  constant: (place, length) => place >= 0 && place < length ? place : -1,
  edge: (place, length) => Math.max(0, Math.min(length - 1, place)),
  /** Mirrors positions at the first and the last element, which are not repeated. */
  reflect: (place, length) => {
    if (length === 1) return 0;
    const turn = modulo(place, 2 * (length - 1));
    return turn < length ? turn : 2 * (length - 1) - turn;
  },
  wrap: (place, length) => modulo(place, length),
};

/** Evaluates Pad: adds elements before and after the elements along some axes. Negative pads remove elements. */
export const pad: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node), rank = x.dims.length;
  const mode = textAttribute(node, "mode", "constant"), source = SOURCES[mode];
  if (source === undefined) {
    throw refused(node, `its mode must be one of ${Object.keys(SOURCES).join(", ")}`, mode);
  }
  const pads = listOf(inputs, 1, node, "pads") ?? [];
  const axes = axesOf(inputs, 3, rank, node) ?? [...x.dims.keys()];
  if (pads.length !== 2 * axes.length) {
    throw refused(node, `its pads must be ${2 * axes.length} numbers`, `[${pads}]`);
  }
  const fill = inputs[2]?.data[0] ?? floatAttribute(node, "value", 0);
  // All modes treat axes independently, so pad one axis after the other.
  return [axes.reduce((padded, axis, i) => {
    const before = pads[i]!, length = padded.dims[axis]!;
    const size = before + length + pads[axes.length + i]!;
    if (size < 0 || (length === 0 && size > 0 && mode !== "constant")) {
      throw refused(
        node,
        `axis ${axis} must not be empty if it is padded to a length of ${size}`,
        length,
      );
    }
    const places = Int32Array.from({ length: size }, (_, place) => source(place - before, length));
    return before === 0 && size === length ? padded : takeAlong(padded, axis, places, fill);
  }, x)];
};

/** Selects the elements at `places` along an axis. The position −1 selects the value `fill`. */
function takeAlong(x: PlainTensor, axis: number, places: Int32Array, fill: number): PlainTensor {
  const { outer, length, inner } = around(x.dims, axis);
  const dims = x.dims.with(axis, places.length);
  const data = allocate(countOf(dims));
  let to = 0;
  for (let o = 0; o < outer; o++) {
    for (const place of places) {
      const from = (o * length + place) * inner;
      if (place === -1) data.fill(fill, to, to + inner);
      else if (inner > 16) data.set(x.data.subarray(from, from + inner), to);
      // For short runs a loop is much faster than creating a view.
      else for (let i = 0; i < inner; i++) data[to + i] = x.data[from + i]!;
      to += inner;
    }
  }
  return { type: x.type, dims, data };
}
