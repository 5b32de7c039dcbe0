/**
 * Matrices of neighbors: a row per atom, filled up with the atom itself.
 *
 * @module
 */

import { FAR } from "../../../kernels/edges/edge_list.ts";
import type { FeedArray } from "../feed_array.ts";
import type { OnnxLists, OnnxPart } from "../onnx_part.ts";

/** Writes the neighbors of each atom, counted in the part. */
export function fillNeighbors(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  const { nodes: [first], sizes: { N, K } } = part, row = index.length / 2;
  for (let i = 0; i < N; i++) to.fill(i, K * i, K * i + K);
  visit(index, part, (at, e) => void to.fill(index[row + e]! - first, at, at + 1));
}

/** Writes 1 for each neighbor. */
export function fillMask(to: FeedArray, { index }: OnnxLists, part: OnnxPart): void {
  to.fill(0, 0, part.sizes.N * part.sizes.K);
  visit(index, part, (at) => void to.fill(1, at, at + 1));
}

/** Writes the shifts of neighbors, multiplied by `scale`; beyond every cutoff where there is none. */
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

/** Meets every edge with its place in the matrix. */
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
