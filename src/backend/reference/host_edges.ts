import { type EdgeList, makeEdgeList } from "../../kernels/edges/edge_list.ts";
import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type { PairList } from "../../kernels/pairs/pair_list.ts";
import type { Buffer, Edges, EdgesOptions } from "../backend.ts";

/** A list of edges as kernels have it, and its arrays as buffers. */
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
    this.index = now("i32", () => list.index);
    this.shifts = now("real", () => list.shifts);
    this.systems = now("i32", () => list.systems);
    this.centers = now("i32", () => list.centers);
    this.triplets = now("i32", () => list.triplets);
    this.counts = now("i32", () => list.counts);
  }

  get capacity(): number {
    return this.list.capacity;
  }

  get tripletCapacity(): number {
    return this.list.tripletCapacity;
  }
}

/** A buffer whose array is another one once the list has grown. */
function now<D extends Dtype>(dtype: D, look: () => Arrays[D]): Buffer<D> {
  const buffer = {
    dtype,
    get length() {
      return look().length;
    },
    get array() {
      return look();
    },
  };
  return buffer;
}
