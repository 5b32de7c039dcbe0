/**
 * Operators that write elements at indices.
 *
 * @module
 */

import { textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { elementPlaces, slicesAt } from "./indexing.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { wrap } from "./rounding.ts";

/** Combines an element with an update, and returns the new element. */
type Reduction = (before: number, update: number) => number;

const REDUCTIONS: Readonly<Record<string, Reduction>> = {
  none: (_, update) => update,
  add: (before, update) => before + update,
  mul: (before, update) => before * update,
  max: Math.max,
  min: Math.min,
};

function reductionOf(node: NodeProto): Reduction {
  const name = textAttribute(node, "reduction", "none"), found = REDUCTIONS[name];
  if (found !== undefined) return found;
  const known = Object.keys(REDUCTIONS).join(", ");
  throw refused(node, `its reduction must be one of ${known}`, name);
}

/** Evaluates ScatterElements. Updates are applied in order. Without a reduction, the last update of an element wins. */
const scatterElements: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const indices = required(inputs, 1, node), updates = required(inputs, 2, node);
  if (updates.dims.join() !== indices.dims.join()) {
    throw refused(node, `its updates must have the shape [${indices.dims}]`, `[${updates.dims}]`);
  }
  const reduce = reductionOf(node), places = elementPlaces(node, dims, indices);
  const scattered = data.slice();
  for (let i = 0; i < places.length; i++) {
    scattered[places[i]!] = reduce(scattered[places[i]!]!, updates.data[i]!);
  }
  return [{ type, dims, data: wrap(type, scattered) }];
};

const scatterND: Evaluate = (inputs, node) => {
  const { type, dims, data } = required(inputs, 0, node);
  const indices = required(inputs, 1, node), updates = required(inputs, 2, node);
  const slices = slicesAt(node, dims, indices, 0), { places, size } = slices;
  const wanted = [...indices.dims.slice(0, -1), ...slices.dims];
  if (updates.dims.join() !== wanted.join()) {
    throw refused(node, `its updates must have the shape [${wanted}]`, `[${updates.dims}]`);
  }
  const reduce = reductionOf(node), scattered = data.slice();
  for (let row = 0; row < places.length; row++) {
    for (let i = 0; i < size; i++) {
      const to = places[row]! + i;
      scattered[to] = reduce(scattered[to]!, updates.data[row * size + i]!);
    }
  }
  return [{ type, dims, data: wrap(type, scattered) }];
};

/** Implementations of ScatterElements and ScatterND. */
export const SCATTERING: Operators = {
  ScatterElements: scatterElements,
  ScatterND: scatterND,
};
