/**
 * Batches of atoms as real models take them, and what can be done to them without changing the forces, or not much.
 *
 * @module
 */

import type { HostFeed } from "../../../src/onnx/mod.ts";
import { readReference, type ReferenceTensor } from "../shared_models.ts";

/** Input → tensor. */
export type Feeds = Readonly<Record<string, HostFeed>>;

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

/** A tensor of a reference as it is fed. */
export function feedOf({ type, dims, b64 }: ReferenceTensor): HostFeed {
  const { buffer } = Uint8Array.fromBase64(b64);
  return { data: new ARRAYS[type as keyof typeof ARRAYS](buffer), dims };
}

/** The numbers of a tensor of a reference. */
export function numbersOf(tensor: ReferenceTensor | undefined): Float64Array {
  if (tensor === undefined) throw new Error("there is no such tensor");
  return Float64Array.from(feedOf(tensor).data as Float64Array, Number);
}

/** The batch that PyTorch computed. */
export function referenceFeeds(model: string): Feeds {
  const { inputs } = readReference(model);
  return Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [name, feedOf(tensor)]));
}

/** Lengths of the axes of a batch. */
interface Counts {
  readonly atoms: number;
  readonly edges: number;
  readonly systems: number;
}

/** Inputs that number something, and what. */
const COUNTED: Readonly<Record<string, keyof Counts>> = {
  edge_index: "atoms",
  trip_center: "atoms",
  trip_edge: "edges",
  batch_idx: "systems",
};

/** Inputs of two rows; the others are one list after the other. */
const isPair = (name: string) => name === "edge_index" || name === "trip_edge";

/** Returns the numbers of atoms, edges and systems. */
export function countsOf(feeds: Feeds): Counts {
  return {
    atoms: feeds["positions"]!.dims![0]!,
    edges: feeds["shifts"]!.dims![0]!,
    systems: feeds["energy0"]!.dims![0]!,
  };
}

/** With other positions. */
export function withPositions(
  feeds: Feeds,
  change: (positions: Float64Array) => Float64Array,
): Feeds {
  const { data, dims } = feeds["positions"]!;
  const changed = change(Float64Array.from(data as Float32Array));
  return { ...feeds, positions: { data: Float32Array.from(changed), dims: dims! } };
}

/** The same systems twice, one half behind the other. */
export function doubled(feeds: Feeds): Feeds {
  const counts = countsOf(feeds);
  return mapped(feeds, (name, { data, dims }) => {
    const counted = COUNTED[name];
    const second = counted === undefined
      ? data
      : (data as BigInt64Array).map((i) => i + BigInt(counts[counted]));
    return joined(name, { data, dims: dims! }, { data: second, dims: dims! });
  });
}

/** With further edges that change nothing: from the first atom to itself, far beyond any cutoff. */
export function padded(feeds: Feeds, edges: number): Feeds {
  const loops = { data: new BigInt64Array(2 * edges), dims: [2, edges] };
  const far = {
    data: Float32Array.from({ length: 3 * edges }, (_, i) => i % 3 === 0 ? 100 : 0),
    dims: [edges, 3],
  };
  return mapped(feeds, (name, feed) => {
    if (name === "edge_index") return joined(name, feed, loops);
    return name === "shifts" ? joined(name, feed, far) : feed;
  });
}

/** Without neighbors: no edges, and no pairs of edges. */
export function alone(feeds: Feeds): Feeds {
  const perEdge = ["edge_index", "shifts", "trip_center", "trip_edge"];
  return mapped(feeds, (name, { data, dims }) => {
    if (!perEdge.includes(name)) return { data, dims: dims! };
    return { data: data.slice(0, 0), dims: isPair(name) ? [2, 0] : [0, ...dims!.slice(1)] };
  });
}

/** With the atoms in another order: the i-th is the one that was `order[i]`. */
export function reordered(feeds: Feeds, order: readonly number[]): Feeds {
  const { atoms } = countsOf(feeds);
  const now = order.map((_, old) => BigInt(order.indexOf(old)));
  return mapped(feeds, (name, { data, dims }) => {
    if (COUNTED[name] === "atoms") {
      return { data: (data as BigInt64Array).map((i) => now[Number(i)]!), dims: dims! };
    }
    if (name === "shifts" || dims![0] !== atoms || isPair(name)) return { data, dims: dims! };
    return { data: rowsOf(data as Float32Array, order, data.length / atoms), dims: dims! };
  });
}

/** Rows of a matrix in another order. */
export function rowsOf<T extends Float32Array | Float64Array | BigInt64Array>(
  data: T,
  order: readonly number[],
  width: number,
): T {
  const made = data.slice() as T;
  for (const [i, from] of order.entries()) {
    for (let k = 0; k < width; k++) made[i * width + k] = data[from * width + k]!;
  }
  return made;
}

/** Vectors, turned by a third of a turn and a bit about a slanted axis. */
export function turned(vectors: ArrayLike<number>): Float64Array {
  const made = new Float64Array(vectors.length);
  for (let i = 0; i < made.length; i += 3) {
    for (const [row, factors] of ROTATION.entries()) {
      made[i + row] = factors[0]! * vectors[i]! + factors[1]! * vectors[i + 1]! +
        factors[2]! * vectors[i + 2]!;
    }
  }
  return made;
}

/** Of the quaternion (1, 2, 3, 4) / √30. */
const ROTATION: readonly (readonly number[])[] = [
  [-20 / 30, 4 / 30, 22 / 30],
  [20 / 30, -10 / 30, 20 / 30],
  [10 / 30, 28 / 30, 4 / 30],
];

function mapped(feeds: Feeds, change: (name: string, feed: HostFeed) => HostFeed): Feeds {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, feed]) => [name, change(name, feed)]),
  );
}

/** One list behind the other; both rows where there are two. */
function joined(name: string, a: HostFeed, b: HostFeed): HostFeed {
  const [first, second] = [a, b].map(({ data }) => Array.from(data as Float32Array));
  const rows = isPair(name) ? 2 : 1;
  const row = (list: readonly number[], i: number) =>
    list.slice(i * list.length / rows, (i + 1) * list.length / rows);
  const all = Array.from({ length: rows }, (_, i) => [...row(first!, i), ...row(second!, i)])
    .flat();
  const dims = rows === 2
    ? [2, a.dims![1]! + b.dims![1]!]
    : [a.dims![0]! + b.dims![0]!, ...a.dims!.slice(1)];
  const data = a.data instanceof BigInt64Array
    ? BigInt64Array.from(all as unknown as bigint[])
    : Float32Array.from(all);
  return { data, dims };
}
