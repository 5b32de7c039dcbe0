import type { OnnxLists, OnnxPart } from "../onnx_part.ts";

/** Arrays of the selected edges and their triplets. Their memory is reused at each step. */
interface Kept {
  index: Int32Array;
  shifts: Float64Array;
  systems: Int32Array;
  centers: Int32Array;
  triplets: Int32Array;
}

const room: Kept = {
  index: new Int32Array(0),
  shifts: new Float64Array(0),
  systems: new Int32Array(0),
  centers: new Int32Array(0),
  triplets: new Int32Array(0),
};
/** New index of each edge of the part; −1 for an edge that is dropped. */
let places = new Int32Array(0);
let squares = new Float64Array(0);

/**
 * Returns the edges of a part that are shorter than `cutoff` and among the `nearest` shortest edges of their source
 * atom. Among edges of equal length, the first ones in the list are kept. Triplets of dropped edges are dropped, too.
 * The lists are valid until the next call.
 */
export function selectEdges(
  lists: OnnxLists,
  part: OnnxPart,
  positions: ArrayLike<number>,
  { cutoff = Infinity, nearest = Infinity }: {
    readonly cutoff?: number | undefined;
    readonly nearest?: number | undefined;
  },
): OnnxLists {
  const { edges: [from, end] } = part, { index } = lists, row = index.length / 2;
  if (places.length < end - from) {
    places = new Int32Array(2 * (end - from));
    squares = new Float64Array(2 * (end - from));
  }
  measure(lists, part, positions);
  let count = 0;
  for (let first = from; first < end;) {
    let stop = first + 1;
    while (stop < end && index[stop] === index[first]) stop++;
    const limit = limitOf(first - from, stop - from, nearest);
    let left = nearest - limit.nearer;
    for (let e = first; e < stop; e++) {
      const square = squares[e - from]!;
      const isNear = square < cutoff * cutoff;
      const isKept = isNear &&
        (square < limit.square || (square === limit.square && left-- > 0));
      places[e - from] = isKept ? count++ : -1;
    }
    first = stop;
  }
  return keep(lists, part, count, row);
}

function measure(
  { index, shifts }: OnnxLists,
  { edges: [from, end] }: OnnxPart,
  positions: ArrayLike<number>,
): void {
  const row = index.length / 2;
  // hot
  for (let e = from; e < end; e++) {
    const i = 3 * index[e]!, j = 3 * index[row + e]!;
    const x = positions[j]! - positions[i]! + shifts[3 * e]!;
    const y = positions[j + 1]! - positions[i + 1]! + shifts[3 * e + 1]!;
    const z = positions[j + 2]! - positions[i + 2]! + shifts[3 * e + 2]!;
    squares[e - from] = x * x + y * y + z * z;
  }
}

/**
 * Returns the squared length of the edge that is number `most` in order of length, and the number of shorter edges.
 * If there are at most `most` edges, the squared length is Infinity.
 */
function limitOf(from: number, end: number, most: number) {
  if (end - from <= most) return { square: Infinity, nearer: 0 };
  const sorted = squares.slice(from, end).sort();
  const square = sorted[most - 1]!;
  return { square, nearer: sorted.indexOf(square) };
}

/** Copies the kept edges. Indices of atoms stay the same; edges are numbered from 0. */
function keep(lists: OnnxLists, part: OnnxPart, count: number, row: number): OnnxLists {
  const { edges: [from, end], triplets: [begin, stop] } = part;
  if (room.systems.length < count) {
    room.index = new Int32Array(4 * count);
    room.shifts = new Float64Array(6 * count);
    room.systems = new Int32Array(2 * count);
  }
  if (room.centers.length < stop - begin) {
    room.centers = new Int32Array(2 * (stop - begin));
    room.triplets = new Int32Array(4 * (stop - begin));
  }
  for (let e = from; e < end; e++) {
    const to = places[e - from]!;
    if (to === -1) continue;
    room.index[to] = lists.index[e]!;
    room.index[count + to] = lists.index[row + e]!;
    room.systems[to] = lists.systems[e]!;
    for (let d = 0; d < 3; d++) room.shifts[3 * to + d] = lists.shifts[3 * e + d]!;
  }
  const length = keepTriplets(lists, part);
  return {
    counts: Int32Array.of(count, length),
    index: room.index.subarray(0, 2 * count),
    shifts: room.shifts,
    systems: room.systems,
    centers: room.centers,
    triplets: room.triplets.subarray(0, 2 * length),
  };
}

function keepTriplets(
  lists: OnnxLists,
  { edges: [from], triplets: [begin, stop] }: OnnxPart,
): number {
  const row = lists.triplets.length / 2;
  const isKept = (t: number) =>
    places[lists.triplets[t]! - from] !== -1 && places[lists.triplets[row + t]! - from] !== -1;
  let length = 0;
  for (let t = begin; t < stop; t++) if (isKept(t)) length++;
  let at = 0;
  for (let t = begin; t < stop; t++) {
    if (!isKept(t)) continue;
    room.centers[at] = lists.centers[t]!;
    room.triplets[at] = places[lists.triplets[t]! - from]!;
    room.triplets[length + at] = places[lists.triplets[row + t]! - from]!;
    at++;
  }
  return length;
}
