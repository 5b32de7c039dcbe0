import type { OnnxLists, OnnxPart } from "../onnx_part.ts";

// Shared by all models and reused at each step, because lists are made and fed one after the other.
let centers = new Int32Array(0);
let triplets = new Int32Array(0);
let short = new Int32Array(0);

/**
 * Returns the lists of a part with ordered triplets: each pair of edges of an atom occurs in both orders. Triplets
 * are sorted by atom, first edge and second edge. The lists are valid until the next call.
 */
export function orderedTriplets(lists: OnnxLists, { triplets: [from, end] }: OnnxPart): OnnxLists {
  const length = 2 * (end - from);
  if (centers.length < length) {
    centers = new Int32Array(2 * length);
    triplets = new Int32Array(4 * length);
  }
  const row = lists.triplets.length / 2;
  let at = 0;
  // hot
  for (let t = from; t < end;) {
    const center = lists.centers[t]!;
    let stop = t + 1;
    while (stop < end && lists.centers[stop] === center) stop++;
    // k edges form k (k − 1) / 2 pairs, of which the first k − 1 share the first edge.
    const k = (1 + Math.sqrt(1 + 8 * (stop - t))) / 2;
    if (short.length < k) short = new Int32Array(2 * k);
    short[0] = lists.triplets[t]!;
    for (let i = 1; i < k; i++) short[i] = lists.triplets[row + t + i - 1]!;
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) {
        if (i === j) continue;
        centers[at] = center;
        triplets[at] = short[i]!;
        triplets[length + at] = short[j]!;
        at++;
      }
    }
    t = stop;
  }
  const counts = Int32Array.of(lists.counts[0]!, length);
  return { ...lists, counts, centers, triplets: triplets.subarray(0, 2 * length) };
}
