/**
 * Neighbor matrices: one row per atom with the indices of its neighbors, padded with the index of the atom itself.
 *
 * @module
 */

import { FAR } from "../../../kernels/edges/edge_list.ts";
import type { FeedArray } from "../feed_array.ts";
import type { OnnxLists, OnnxPart } from "../onnx_part.ts";

/**
 * Writes the neighbors of each atom, as indices within the part. Unused elements of a row get the index of the atom.
 */
export function fillNeighbors(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  const { nodes: [first], sizes: { N, K } } = part, row = index.length / 2;
  for (let i = 0; i < N; i++) to.fill(i, K * i, K * i + K);
  visit(index, part, (at, e) => void to.fill(index[row + e]! - first, at, at + 1));
}

/** Writes the mask of the neighbor matrix: 1 for each neighbor and 0 for the padding. */
export function fillMask(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  to.fill(0, 0, part.sizes.N * part.sizes.K);
  visit(index, part, (at) => void to.fill(1, at, at + 1));
}

/** Writes the shift of each neighbor, multiplied by `scale`. The shifts of the padding are longer than every cutoff. */
export function fillShifts(
  to: FeedArray,
  { index, shifts }: OnnxLists,
  part: OnnxPart,
  scale: number,
): void {
  const length = 3 * part.sizes.N * part.sizes.K;
  to.fill(0, 0, length);
  to.fill(FAR * scale, 0, length, 3);
  visit(index, part, (at, e) => void to.copy(3 * at, shifts, 3 * e, 3 * e + 3, { scale }));
}

/**
 * Calls `meet` for each edge of the part, with the index of its element in the neighbor matrix and the index of the
 * edge.
 */
function visit(
  index: Int32Array,
  { edges: [from, end], nodes: [first], sizes: { K } }: OnnxPart,
  meet: (at: number, edge: number) => void,
): void {
  for (let e = from, start = from; e < end; e++) {
    if (index[e] !== index[start]) start = e;
    meet(K * (index[e]! - first) + e - start, e);
  }
}
