import { type EdgeList, growTriplets } from "./edge_list.ts";
import { type Arrays, defineKernel, type Kernel } from "../kernel.ts";

const args = {
  edges: "edges",
  positions: "real",
} as const;

/**
 * Lists the triplets of a full list of edges: for each atom, all unordered pairs of different edges that start from
 * the atom and are shorter than `reach`. Triplets are sorted by atom, first edge and second edge.
 *
 * The kernel `edges` must have run before, with the same positions. The rest of the capacity is padded with the
 * center 0 and, for both edges, the first padding edge. A list that is too short grows.
 */
export const triplets: Kernel<typeof args> = defineKernel(
  "triplets",
  args,
  ({ edges, positions }) => {
    const { starts, counts } = edges;
    const atoms = starts.length - 2;
    let count = 0;
    for (let a = 0; a < atoms; a++) {
      let near = 0;
      for (let e = starts[a]!; e < starts[a + 1]!; e++) {
        near += Number(isShort(edges, positions, e));
      }
      count += near * (near - 1) / 2;
    }
    counts[1] = count;
    growTriplets(edges, count);
    let at = 0;
    for (let a = 0; a < atoms; a++) {
      for (let e = starts[a]!; e < starts[a + 1]!; e++) {
        if (isShort(edges, positions, e)) at = pairUp(edges, positions, a, e, at);
      }
    }
    edges.centers.fill(0, count);
    edges.triplets.fill(counts[0]!, count, edges.tripletCapacity);
    edges.triplets.fill(counts[0]!, edges.tripletCapacity + count);
  },
);

/**
 * Writes the triplets of edge `first` and each later edge of its atom that is shorter than `reach`, beginning at
 * index `at`. Returns the next free index.
 */
function pairUp(
  list: EdgeList,
  positions: Arrays["real"],
  atom: number,
  first: number,
  at: number,
): number {
  const { centers, triplets, tripletCapacity, starts } = list;
  for (let e = first + 1; e < starts[atom + 1]!; e++) {
    if (!isShort(list, positions, e)) continue;
    centers[at] = atom;
    triplets[at] = first;
    triplets[tripletCapacity + at] = e;
    at++;
  }
  return at;
}

function isShort(
  { index, shifts, capacity, reach }: EdgeList,
  positions: Arrays["real"],
  e: number,
): boolean {
  const [i, j] = [index[e]!, index[capacity + e]!];
  let square = 0;
  for (let d = 0; d < 3; d++) {
    square += (positions[3 * j + d]! - positions[3 * i + d]! + shifts[3 * e + d]!) ** 2;
  }
  return square < reach * reach;
}
