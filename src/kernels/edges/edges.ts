import { type EdgeList, growEdges, padEdges } from "./edge_list.ts";
import { type Arrays, defineKernel, type Frame, type Kernel } from "../kernel.ts";
import { type SystemPairs, wholeBetween } from "../pairs/pair_list.ts";

const args = {
  edges: "edges",
  positions: "real",
  cell: "real",
  images: "i32 optional",
} as const;

/**
 * Lists the pairs of active systems that are within the cutoff at the current positions. Pairs within the skin beyond
 * the cutoff are not listed.
 *
 * Edge e goes from atom i = index[0, e] to atom j = index[1, e], as indices within the batch. Its vector is x_j − x_i
 * + shifts[e]. Edges are sorted by source, then in the order of the pairs. An atom may be a neighbor of its own
 * image; the shift is nonzero then. Half lists have each pair once, from the lower atom to the higher; full lists
 * have both directions.
 *
 * The kernel `neighbors` must have run before, with the same `images`. The rest of the capacity is padded with edges
 * 0–0 of system 0 with the shift (100, 0, 0). A list that is too short grows.
 */
export const edges: Kernel<typeof args> = defineKernel("edges", args, (values, frame) => {
  const { edges: list } = values;
  const { starts, counts } = list;
  starts.fill(0);
  walk(values, frame, (_, source) => void (starts[source + 2]! += 1));
  for (let a = 1; a < starts.length; a++) starts[a]! += starts[a - 1]!;
  counts[0] = starts.at(-1)!;
  growEdges(list, counts[0]);
  const { index, shifts, systems, capacity } = list;
  walk(values, frame, (system, source, target, sign) => {
    const e = starts[source + 1]!++; // each entry has advanced to the start of the next atom
    index[e] = source;
    index[capacity + e] = target;
    systems[e] = system;
    for (let d = 0; d < 3; d++) shifts[3 * e + d] = sign * shift[d]! + 0; // + 0 turns −0 into 0
  });
  padEdges(list);
});

/** Arguments of the kernel `edges`. */
interface Given {
  readonly edges: EdgeList;
  readonly positions: Arrays["real"];
  readonly cell: Arrays["real"];
  readonly images: Int32Array | undefined;
}

/** Shift of the pair that `isNear` has checked last, Å. */
const shift = new Float64Array(3);

/**
 * Calls `meet` for every edge of an active system. The argument `sign` of `meet` is the factor by which `shift` must
 * be multiplied for this edge.
 */
function walk(
  given: Given,
  { systems, active, offsets }: Frame,
  meet: (system: number, source: number, target: number, sign: 1 | -1) => void,
): void {
  const { edges: { pairs, isHalf } } = given;
  for (let s = 0; s < systems; s++) {
    if (active[s] === 0) continue;
    const list = pairs.systems[s]!;
    for (let p = 0; p < list.count; p++) {
      const [i, j] = [offsets[s]! + list.i[p]!, offsets[s]! + list.j[p]!];
      if (!isNear(given, list, p, i, j, 9 * s)) continue;
      meet(s, i, j, 1);
      if (!isHalf) meet(s, j, i, -1);
    }
  }
}

/** Returns whether pair p is within the cutoff, and writes its shift to `shift`. */
function isNear(
  { edges: { cutoff }, positions, cell, images }: Given,
  list: SystemPairs,
  p: number,
  i: number,
  j: number,
  h: number,
): boolean {
  shift.fill(0);
  for (let k = 0; k < 3; k++) {
    const n = wholeBetween(list, p, k, images, i, j);
    if (n === 0) continue; // cell vectors of directions that are not periodic may contain any numbers
    for (let d = 0; d < 3; d++) shift[d]! += n * cell[h + 3 * k + d]!;
  }
  let square = 0;
  for (let d = 0; d < 3; d++) {
    square += (positions[3 * j + d]! - positions[3 * i + d]! + shift[d]!) ** 2;
  }
  return square < cutoff * cutoff;
}
