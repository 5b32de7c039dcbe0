import { type EdgeList, growEdges, padEdges } from "./edge_list.ts";
import { type Arrays, defineKernel, type Frame, type Kernel } from "../kernel.ts";
import type { SystemPairs } from "../pairs/pair_list.ts";
import { wholeBetween } from "../pairs/whole_between.ts";

const args = {
  edges: "edges",
  positions: "real",
  cell: "real",
  images: "i32 optional",
} as const;

/**
 * Lists the pairs of active systems that are nearer than the cutoff now: those within the skin are left out.
 *
 * Edge e leaves atom i = index[0, e] for atom j = index[1, e], atoms counted over the batch; its vector is
 * x_j − x_i + shifts[e]. Edges come by source, then as the pairs come. An atom may be its own neighbor, by an image:
 * then the shift is not zero. Half lists have each pair once, from the lower atom to the higher; full lists both ways.
 *
 * `images` are those that the kernel `neighbors` was given, which must have run before. What is left of the capacity
 * is padded: edges 0–0 with the shift (100, 0, 0), of system 0. A list that is too short grows.
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
    const e = starts[source + 1]!++; // ends where those of the next atom begin
    index[e] = source;
    index[capacity + e] = target;
    systems[e] = system;
    for (let d = 0; d < 3; d++) shifts[3 * e + d] = sign * shift[d]! + 0; // no −0
  });
  padEdges(list);
});

/** What the kernel is given. */
interface Given {
  readonly edges: EdgeList;
  readonly positions: Arrays["real"];
  readonly cell: Arrays["real"];
  readonly images: Int32Array | undefined;
}

/** What is added to the vector of the pair that is looked at. */
const shift = new Float64Array(3);

/** Meets every edge; `sign`: what the shift is to be multiplied by. */
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

/** Whether a pair is within the cutoff; writes its shift. */
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
    if (n === 0) continue; // what a cell holds where it is not periodic is not looked at
    for (let d = 0; d < 3; d++) shift[d]! += n * cell[h + 3 * k + d]!;
  }
  let square = 0;
  for (let d = 0; d < 3; d++) {
    square += (positions[3 * j + d]! - positions[3 * i + d]! + shift[d]!) ** 2;
  }
  return square < cutoff * cutoff;
}
