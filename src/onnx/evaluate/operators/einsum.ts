/**
 * Sums of products over named axes.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { textAttribute } from "../../codec/attributes.ts";
import { einsumEquation } from "../../graph/einsum_equation.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { stridesOf } from "../strides.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";

/** The length along each label. Lengths of 1 are repeated. */
function lengthsOf(
  node: NodeProto,
  terms: readonly (readonly string[])[],
  operands: readonly PlainTensor[],
): Map<string, number> {
  const lengths = new Map<string, number>();
  terms.forEach((term, i) =>
    term.forEach((label, axis) => {
      const length = operands[i]!.dims[axis]!, other = lengths.get(label) ?? 1;
      if (length !== other && length !== 1 && other !== 1) {
        throw refused(node, `"${label}" must have one length`, `${other} and ${length}`);
      }
      lengths.set(label, other === 1 ? length : other);
    })
  );
  return lengths;
}

/** Elements from one place to the next along each label: 0 where a label is not there, the sum where it is twice. */
function labelStrides(
  labels: readonly string[],
  term: readonly string[],
  dims: readonly number[],
): number[] {
  const strides = stridesOf(dims);
  return labels.map((label) =>
    term.reduce(
      (sum, each, axis) => each === label && dims[axis] !== 1 ? sum + strides[axis]! : sum,
      0,
    )
  );
}

/** A place in a walk over all indices of a shape, and where it is in each of some arrays. */
interface Walk {
  /** The lengths walked over. */
  readonly dims: readonly number[];
  /** The index now. */
  readonly index: Int32Array;
  /** Strides of each array. */
  readonly strides: readonly (readonly number[])[];
  /** The place in each array now. */
  readonly at: Int32Array;
}

/** A walk at its beginning. */
function walk(dims: readonly number[], ...strides: readonly (readonly number[])[]): Walk {
  return { dims, index: new Int32Array(dims.length), strides, at: new Int32Array(strides.length) };
}

/**
 * One step along the axes from one up to another, the last one fastest. Behind the end it is at the beginning again.
 */
// hot
function advance({ dims, index, strides, at }: Walk, from: number, to: number): void {
  for (let axis = to - 1; axis >= from; axis--) {
    const last = dims[axis]! - 1;
    if (index[axis]! < last) {
      index[axis]!++;
      for (let k = 0; k < at.length; k++) at[k]! += strides[k]![axis]!;
      return;
    }
    index[axis] = 0;
    for (let k = 0; k < at.length; k++) at[k]! -= strides[k]![axis]! * last;
  }
}

/** Sums products over the axes from `free` on, for each index of those before. */
// hot
function sumProducts(
  places: Walk,
  free: number,
  operands: readonly Float64Array[],
  out: Float64Array,
): void {
  const { dims, at } = places;
  const turns = countOf(dims.slice(free));
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let turn = 0; turn < turns; turn++) {
      let product = 1;
      for (let k = 0; k < at.length; k++) product *= operands[k]![at[k]!]!;
      sum += product;
      advance(places, free, dims.length);
    }
    out[i] = sum;
    advance(places, 0, free);
  }
}

const einsum: Evaluate = (inputs, node) => {
  const operands = inputs.map((_, i) => required(inputs, i, node));
  const ranks = operands.map(({ dims }) => dims.length);
  const text = textAttribute(node, "equation", "");
  const equation = einsumEquation(text, ranks);
  if (equation === undefined) {
    throw refused(node, `its equation must be one for inputs of ${ranks.join(", ")} axes`, text);
  }
  const { inputs: terms, output } = equation;
  const lengths = lengthsOf(node, terms, operands);
  const labels = [...output, ...[...lengths.keys()].filter((label) => !output.includes(label))];
  const dims = labels.map((label) => lengths.get(label)!);
  const strides = terms.map((term, i) => labelStrides(labels, term, operands[i]!.dims));
  const out = allocate(countOf(dims.slice(0, output.length)));
  sumProducts(walk(dims, ...strides), output.length, operands.map(({ data }) => data), out);
  return [{ type: operands[0]!.type, dims: dims.slice(0, output.length), data: out }];
};

/** Einsum. */
export const EINSUM: Operators = { Einsum: einsum };
