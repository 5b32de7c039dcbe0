/**
 * Einsum: sums of products over labeled axes.
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

/** Returns the length of each label, by label. An axis of length 1 is broadcast to the length of its label. */
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
        throw refused(node, `all lengths of "${label}" must be equal`, `${other} and ${length}`);
      }
      lengths.set(label, other === 1 ? length : other);
    })
  );
  return lengths;
}

/**
 * Returns the stride of each label in one term: 0 if the term lacks the label, and the sum of the strides if the
 * label occurs twice.
 */
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

/** State of an iteration over all indices of a shape, with the current position in several arrays. */
interface Walk {
  /** Shape of the iteration. */
  readonly dims: readonly number[];
  /** Current index. */
  readonly index: Int32Array;
  /** Strides of each array along the axes of the iteration. */
  readonly strides: readonly (readonly number[])[];
  /** Current position in each array. */
  readonly at: Int32Array;
}

/** Starts an iteration at the first index. */
function walk(dims: readonly number[], ...strides: readonly (readonly number[])[]): Walk {
  return { dims, index: new Int32Array(dims.length), strides, at: new Int32Array(strides.length) };
}

/**
 * Advances the index along the axes from `from` up to but not including `to`. The last of these axes varies fastest.
 * After the last index, the iteration returns to the first index.
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

/**
 * Writes one sum to `out` for each index of the axes before `free`: the sum of the products of the operands over the
 * axes from `free` on.
 */
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
    throw refused(node, `its equation must fit inputs with ${ranks.join(", ")} axes`, text);
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

/** Implementation of Einsum. */
export const EINSUM: Operators = { Einsum: einsum };
