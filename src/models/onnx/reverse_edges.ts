/**
 * Search for the reverse of each edge.
 *
 * @module
 */

import type { OnnxLists, OnnxPart } from "./onnx_part.ts";

// Shared by all models and reused at each step, because lists are made and fed one after the other.
let reverses = new Int32Array(0);
let starts = new Int32Array(0);

/**
 * Returns the index of the reverse of each edge of a part, counted within the part. The result is valid until the
 * next call. The search relies on the lists of the kernels, in which the two directions of a pair have exactly
 * opposite shifts.
 *
 * @throws {RangeError} if a pair is listed in only one direction
 */
export function reverseEdges(
  { index, shifts }: OnnxLists,
  { edges: [from, end], nodes: [first, last] }: Pick<OnnxPart, "edges" | "nodes">,
): Int32Array {
  const targets = index.length / 2;
  if (reverses.length < end - from) reverses = new Int32Array(2 * (end - from));
  locateSources(index, from, end, first, last);
  // hot
  for (let e = from; e < end; e++) {
    const source = index[e]!, target = index[targets + e]!;
    if (target < source) continue; // this edge was set together with its reverse
    const stop = starts[target - first + 1]!;
    let r = starts[target - first]!;
    while (
      r < stop &&
      (index[targets + r] !== source || shifts[3 * r] !== -shifts[3 * e]! ||
        shifts[3 * r + 1] !== -shifts[3 * e + 1]! || shifts[3 * r + 2] !== -shifts[3 * e + 2]!)
    ) r++;
    if (r === stop) {
      throw new RangeError(
        `Cannot list reverse edges: neighbors must be "full"; got "half"`,
      );
    }
    reverses[e - from] = r - from;
    reverses[r - from] = e - from;
  }
  return reverses;
}

/** Writes the index of the first edge of each atom to `starts`. Edges are sorted by source atom. */
function locateSources(
  index: Int32Array,
  from: number,
  end: number,
  first: number,
  last: number,
): void {
  if (starts.length <= last - first) starts = new Int32Array(2 * (last - first) + 1);
  let e = from;
  for (let atom = first; atom <= last; atom++) {
    while (e < end && index[e]! < atom) e++;
    starts[atom - first] = e;
  }
}
