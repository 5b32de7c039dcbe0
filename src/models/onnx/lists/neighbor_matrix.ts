/**
 * Neighbor matrices. They have a row per atom with its neighbors, padded with the atom itself.
 *
 * @module
 */

import { FAR } from "../../../kernels/edges/edge_list.ts";
import type { FeedArray } from "../feed_array.ts";
import type { OnnxLists, OnnxPart } from "../onnx_part.ts";

/** Writes the neighbors of each atom, as indices within the part. */
export function fillNeighbors(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  const { nodes: [first], sizes: { N, K } } = part, row = index.length / 2;
  for (let i = 0; i < N; i++) to.fill(i, K * i, K * i + K);
  visit(index, part, (at, e) => void to.fill(index[row + e]! - first, at, at + 1));
}

/** Writes 1 for each neighbor and 0 for the padding. */
export function fillMask(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  to.fill(0, 0, part.sizes.N * part.sizes.K);
  visit(index, part, (at) => void to.fill(1, at, at + 1));
}

/** Writes the shifts of neighbors, multiplied by `scale`. Those of the padding lie beyond every cutoff. */
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

/** Calls `meet` for each edge, with the index of its element in the matrix. */
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
