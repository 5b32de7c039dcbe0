/**
 * The lists of a part of a batch as a model wants them, made once per run from those of the kernels.
 *
 * @module
 */

import type { OnnxBonds, OnnxLists, OnnxPart } from "../onnx_part.ts";
import { reverseEdges } from "../reverse_edges.ts";
import { selectEdges } from "./select_edges.ts";
import { orderedTriplets } from "./ordered_triplets.ts";

/** Which edges of the kernels a list has. */
export interface EdgeSelection {
  /** Å; undefined if it has them all. */
  readonly cutoff?: number | undefined;
  /** The most edges that leave an atom. */
  readonly nearest?: number | undefined;
}

/** A list besides that of the model's cutoff. */
export interface OtherList extends EdgeSelection {
  /** Its name in the manifest. */
  readonly name: string;
  /** Å. */
  readonly cutoff: number;
}

/** What a model wants of its lists. */
export interface ListRules extends EdgeSelection {
  /** Whether each pair of edges of an atom is listed in both orders. */
  readonly isOrdered: boolean;
  /** Whether it is fed bonds. */
  readonly hasBonds: boolean;
  /** Whether it is fed a matrix of neighbors. */
  readonly hasMatrix: boolean;
  /** Other lists. */
  readonly others: readonly OtherList[];
}

/** Returns the lists of a part by the rules of a model, and locates the part in them. Valid until the next call. */
export function partLists(
  lists: OnnxLists,
  part: OnnxPart,
  positions: ArrayLike<number>,
  { isOrdered, hasBonds, hasMatrix, cutoff, nearest }: Omit<ListRules, "others">,
): OnnxLists {
  part.locate(lists);
  let own = lists;
  if (cutoff !== undefined || nearest !== undefined) {
    part.locate(own = selectEdges(own, part, positions, { cutoff, nearest }));
  }
  if (isOrdered) part.locate(own = orderedTriplets(own, part));
  if (hasMatrix) part.sizes.K = nearest ?? longestRow(own, part);
  if (!hasBonds) return own;
  const bonds = bondsOf(own, part);
  part.sizes.U = bonds.count;
  return { ...own, bonds };
}

// Used again from step to step: the lists of one step are filled one after the other.
let ofEdges = new Int32Array(0);
let edges = new Int32Array(0);

/** Returns bonds in the order of their first edges. */
function bondsOf(lists: OnnxLists, part: OnnxPart): OnnxBonds {
  const reverses = reverseEdges(lists, part);
  const length = part.edges[1] - part.edges[0];
  if (ofEdges.length < length) {
    [ofEdges, edges] = [new Int32Array(2 * length), new Int32Array(length)];
  }
  let count = 0;
  // hot
  for (let e = 0; e < length; e++) {
    const reverse = reverses[e]!;
    if (reverse < e) ofEdges[e] = ofEdges[reverse]!;
    else {
      edges[count] = e;
      ofEdges[e] = count++;
    }
  }
  return { count, ofEdges, edges };
}

/** Returns the most edges that leave an atom, at least 1. */
function longestRow({ index }: OnnxLists, { edges: [from, end] }: OnnxPart): number {
  let most = 1;
  // hot
  for (let e = from, first = from; e < end; e++) {
    if (index[e] !== index[first]) first = e;
    if (e - first >= most) most = e - first + 1;
  }
  return most;
}
