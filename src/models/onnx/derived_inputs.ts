/**
 * Inputs that functions of the user's make.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed, TensorDtype, TensorInfo } from "../../onnx/session/session_tensor.ts";
import { FeedArray } from "./feed_array.ts";
import { type Filling, MOVING, type OnnxConstants } from "./fills.ts";

/**
 * What a function that makes an input is told. Arrays are valid until it answers. Atoms and edges are counted from 0;
 * of a model that takes one system at a time all is of that system.
 */
export interface OnnxDerivedFrom {
  /** How many systems. In a batch without edges or triplets one of three atoms is added at the end. */
  readonly systemCount: number;
  /** How many atoms. */
  readonly nodeCount: number;
  /** How many edges; with `padding: true` those of the padding too. */
  readonly edgeCount: number;
  /** How many triplets; with `padding: true` those of the padding too. */
  readonly tripletCount: number;
  /** The model's own number of each atom's element. */
  readonly numbers: Int32Array;
  /** Three per atom, Å. */
  readonly positions: Float64Array;
  /** Nine per system, Å. */
  readonly cell: Float64Array;
  /** The system of each atom. */
  readonly batchIndex: Int32Array;
  /** Where the atoms of each system begin, and how many there are. */
  readonly systemOffsets: Int32Array;
  /** The atom that each edge leaves. */
  readonly edgeSources: Int32Array;
  /** The atom that each edge leads to. */
  readonly edgeTargets: Int32Array;
  /** Three per edge, Å: its vector is `positions[target] − positions[source] + shift`. */
  readonly shifts: Float64Array;
  /** The atom that both edges of each triplet leave. */
  readonly tripletCenters: Int32Array;
  /** Two rows: the first edge of each triplet, then the second of each. */
  readonly tripletEdges: Int32Array;
}

/** Numbers with a shape. */
export interface OnnxDerived {
  /** The last index fastest. */
  readonly data: ArrayLike<number>;
  /** Its lengths. */
  readonly dims: readonly number[];
}

/** Makes an input at each step. */
export type OnnxDerive = (from: OnnxDerivedFrom) => OnnxDerived;

/** The arrays that functions are told, from step to step. */
export class DerivedArrays {
  readonly #arrays = new Map<string, FeedArray>();

  /** What functions are told of a part of the batch. */
  derive(filling: Omit<Filling, "form">, constants: OnnxConstants): OnnxDerivedFrom {
    const { part: { sizes, nodes, systems }, arrays: { lists } } = filling;
    const ints = (name: string, length: number) => this.#array(name, "int32", length);
    const moving = (
      name: "positions" | "cell" | "shifts" | "edgeSources" | "edgeTargets",
      dtype: "int32" | "float64",
      length: number,
    ) => this.#filled(name, dtype, length, { ...filling, form: [] });
    const edges = lists === undefined ? 0 : sizes.E, triplets = lists === undefined ? 0 : sizes.T;
    return {
      systemCount: sizes.B,
      nodeCount: sizes.N,
      edgeCount: edges,
      tripletCount: triplets,
      numbers: ints("numbers", sizes.N).copy(0, constants.numbers, ...nodes).data as Int32Array,
      positions: moving("positions", "float64", 3 * sizes.N) as Float64Array,
      cell: moving("cell", "float64", 9 * sizes.B) as Float64Array,
      batchIndex: ints("batchIndex", sizes.N)
        .copy(0, constants.systemOfNode, ...nodes, { minus: systems[0] }).data as Int32Array,
      systemOffsets: ints("systemOffsets", sizes["B+1"])
        .copy(0, constants.nodeOffsets, systems[0], systems[1] + 1, { minus: nodes[0] })
        .data as Int32Array,
      edgeSources: moving("edgeSources", "int32", edges) as Int32Array,
      edgeTargets: moving("edgeTargets", "int32", edges) as Int32Array,
      shifts: moving("shifts", "float64", 3 * edges) as Float64Array,
      tripletCenters: this.#filled("tripletCenters", "int32", triplets, {
        ...filling,
        form: ["T"],
      }) as Int32Array,
      tripletEdges: this.#filled("tripletEdges", "int32", 2 * triplets, {
        ...filling,
        form: [2, "T"],
      }) as Int32Array,
    };
  }

  #array(name: string, dtype: TensorDtype, length: number): FeedArray {
    let array = this.#arrays.get(name);
    if (array === undefined) this.#arrays.set(name, array = new FeedArray(dtype));
    return array.resize(length);
  }

  #filled(
    name: keyof typeof MOVING,
    dtype: "int32" | "float64",
    length: number,
    filling: Filling,
  ): unknown {
    const array = this.#array(name, dtype, length);
    if (length > 0) MOVING[name]!(array, { ...filling, perAngstrom: 1 });
    return array.data;
  }
}

/** What a function has made, as the model wants it. Throws a TypeError or RangeError for what is no tensor. */
export function derivedFeed(
  model: string,
  { name }: TensorInfo,
  array: FeedArray,
  made: OnnxDerived,
): HostFeed {
  const { data, dims } = (made ?? {}) as Partial<OnnxDerived>;
  if (typeof data?.length !== "number" || !Array.isArray(dims)) {
    throw new TypeError(
      `Cannot run ${model}: what derives ${name} must answer with { data, dims }; got ${
        show(made)
      }`,
    );
  }
  const count = dims.reduce((product: number, length: number) => product * length, 1);
  if (count !== data.length) {
    throw new RangeError(
      `Cannot run ${model}: what derives ${name} must answer with ${
        dims.join(" * ") || 1
      } numbers: current length is ${data.length}`,
    );
  }
  return array.resize(count).copy(0, data, 0, count).feed(dims);
}
