/**
 * Lists of a part of a batch in the form that a model requires, made once per run from those of the kernels.
 *
 * @module
 */

import type { OnnxBonds, OnnxLists, OnnxPart } from "../onnx_part.ts";
import { reverseEdges } from "../reverse_edges.ts";
import { selectEdges } from "./select_edges.ts";
import { orderedTriplets } from "./ordered_triplets.ts";

/** Selection of the kernels' edges for a list. */
export interface EdgeSelection {
  /** Cutoff radius in Å; `undefined` for all edges. */
  readonly cutoff?: number | undefined;
  /** Largest number of edges per source atom. */
  readonly nearest?: number | undefined;
}

/** A list besides that of the model's cutoff. */
export interface OtherList extends EdgeSelection {
  /** Its name in the manifest. */
  readonly name: string;
  /** Cutoff radius in Å. */
  readonly cutoff: number;
}

/** Requirements of a model for its lists. */
export interface ListRules extends EdgeSelection {
  /** True if each pair of edges of an atom is listed in both orders. */
  readonly isOrdered: boolean;
  /** True if the model has inputs of bonds. */
  readonly hasBonds: boolean;
  /** True if the model has a neighbor matrix. */
  readonly hasMatrix: boolean;
  /** Further lists. */
  readonly others: readonly OtherList[];
}

/**
 * Returns the lists of a part in the form that a model requires, and locates the part in them. Valid until
 * the next call.
 */
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

// Reused at each step: the lists of a step are filled one after the other.
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

/** Returns the largest number of edges of a source atom, at least 1. */
function longestRow({ index }: OnnxLists, { edges: [from, end] }: OnnxPart): number {
  let most = 1;
  // hot
  for (let e = from, first = from; e < end; e++) {
    if (index[e] !== index[first]) first = e;
    if (e - first >= most) most = e - first + 1;
  }
  return most;
}
