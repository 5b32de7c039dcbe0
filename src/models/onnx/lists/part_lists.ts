/**
 * Lists of a part of a batch in the form that a model requires. They are derived from the lists of the kernels once
 * per run.
 *
 * @module
 */

import type { OnnxBonds, OnnxLists, OnnxPart } from "../onnx_part.ts";
import { reverseEdges } from "../reverse_edges.ts";
import { selectEdges } from "./select_edges.ts";
import { orderedTriplets } from "./ordered_triplets.ts";

/** Conditions that select the edges of a list from those of the kernels. */
export interface EdgeSelection {
  /** Cutoff radius in Å; `undefined` to keep edges of every length. */
  readonly cutoff?: number | undefined;
  /** Maximum number of edges per source atom, of which the shortest are kept; `undefined` for no limit. */
  readonly nearest?: number | undefined;
}

/** A further list of a model, with its own cutoff. */
export interface OtherList extends EdgeSelection {
  /** Name of the list in the manifest. */
  readonly name: string;
  /** Cutoff radius in Å. */
  readonly cutoff: number;
}

/** Requirements of a model for its lists. */
export interface ListRules extends EdgeSelection {
  /** True if triplets are ordered: each pair of edges of an atom occurs in both orders. */
  readonly isOrdered: boolean;
  /** True if an input of the model contains bonds. */
  readonly hasBonds: boolean;
  /** True if an input of the model is a neighbor matrix. */
  readonly hasMatrix: boolean;
  /** The model's further lists. */
  readonly others: readonly OtherList[];
}

/**
 * Returns the lists of a part in the form that a model requires, and sets the ranges and lengths of the part
 * accordingly. The lists are valid until the next call.
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

// Shared by all models and reused at each step, because lists are made and fed one after the other.
let ofEdges = new Int32Array(0);
let edges = new Int32Array(0);

/** Returns the bonds of a part, in the order of their first edges. */
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

/** Returns the largest number of edges of a source atom, but at least 1. */
function longestRow({ index }: OnnxLists, { edges: [from, end] }: OnnxPart): number {
  let most = 1;
  // hot
  for (let e = from, first = from; e < end; e++) {
    if (index[e] !== index[first]) first = e;
    if (e - first >= most) most = e - first + 1;
  }
  return most;
}
