import { type EdgeList, makeEdgeList } from "../../kernels/edges/edge_list.ts";
import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type { PairList } from "../../kernels/pairs/pair_list.ts";
import type { Buffer, Edges, EdgesOptions } from "../backend.ts";

/** A list of edges whose arrays are in host memory, with a buffer for each array. */
export class HostEdges implements Edges {
  readonly list: EdgeList;
  readonly index: Buffer<"i32">;
  readonly shifts: Buffer<"real">;
  readonly systems: Buffer<"i32">;
  readonly centers: Buffer<"i32">;
  readonly triplets: Buffer<"i32">;
  readonly counts: Buffer<"i32">;

  constructor(pairs: PairList, atoms: number, options: EdgesOptions) {
    const list = this.list = makeEdgeList(pairs, atoms, options);
    this.index = latest("i32", () => list.index);
    this.shifts = latest("real", () => list.shifts);
    this.systems = latest("i32", () => list.systems);
    this.centers = latest("i32", () => list.centers);
    this.triplets = latest("i32", () => list.triplets);
    this.counts = latest("i32", () => list.counts);
  }

  get capacity(): number {
    return this.list.capacity;
  }

  get tripletCapacity(): number {
    return this.list.tripletCapacity;
  }
}

/** Returns a buffer whose array is looked up at each use, because the list replaces its arrays when it grows. */
function latest<D extends BufferType>(dtype: D, arrayOf: () => Arrays[D]): Buffer<D> {
  const buffer = {
    dtype,
    get length() {
      return arrayOf().length;
    },
    get array() {
      return arrayOf();
    },
  };
  return buffer;
}
