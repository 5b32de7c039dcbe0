/**
 * Inputs that custom functions compute.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { HostFeed, TensorDtype, TensorInfo } from "../../onnx/session/session_tensor.ts";
import { FeedArray } from "./feed_array.ts";
import { type Filling, MOVING, type OnnxConstants } from "./fills.ts";

/**
 * Values for a function that computes an input. The arrays are valid until the function returns. Atoms and
 * edges are counted from 0. For a model that takes one system at a time, all values are those of that system.
 */
export interface OnnxDerivedFrom {
  /** Number of systems. In a batch without edges or triplets, a system of three atoms is added at the end. */
  readonly systemCount: number;
  /** Number of atoms. */
  readonly nodeCount: number;
  /** Number of edges, including padding with `padding: true`. */
  readonly edgeCount: number;
  /** Number of triplets, including padding with `padding: true`. */
  readonly tripletCount: number;
  /** The model's number of the element of each atom. */
  readonly numbers: Int32Array;
  /** Positions in Å, three per atom. */
  readonly positions: Float64Array;
  /** Lattice vectors in Å, nine numbers per system. */
  readonly cell: Float64Array;
  /** System of each atom. */
  readonly batchIndex: Int32Array;
  /** First atom of each system, followed by the number of atoms. */
  readonly systemOffsets: Int32Array;
  /** Source atom of each edge. */
  readonly edgeSources: Int32Array;
  /** Target atom of each edge. */
  readonly edgeTargets: Int32Array;
  /**
   * Shifts in Å, three per edge: the vector of an edge is `positions[target] − positions[source] + shift`.
   */
  readonly shifts: Float64Array;
  /** Central atom of each triplet: the source of both its edges. */
  readonly tripletCenters: Int32Array;
  /** Two rows: the first edge of each triplet, then the second edge of each. */
  readonly tripletEdges: Int32Array;
}

/** Values with a shape. */
export interface OnnxDerived {
  /** Values, the last index running fastest. */
  readonly data: ArrayLike<number>;
  /** Length along each dimension. */
  readonly dims: readonly number[];
}

/** A function that computes an input at each step. */
export type OnnxDerive = (from: OnnxDerivedFrom) => OnnxDerived;

/** Arrays for custom functions, reused at each step. */
export class DerivedArrays {
  readonly #arrays = new Map<string, FeedArray>();

  /** Returns the values of a part of the batch for custom functions. */
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

/**
 * Converts the result of a custom function to the type of the input. Throws a TypeError or RangeError if it
 * is not a tensor.
 */
export function derivedFeed(
  model: string,
  { name }: TensorInfo,
  array: FeedArray,
  made: OnnxDerived,
): HostFeed {
  const { data, dims } = (made ?? {}) as Partial<OnnxDerived>;
  if (typeof data?.length !== "number" || !Array.isArray(dims)) {
    throw new TypeError(
      `Cannot run ${model}: the function that derives ${name} must return { data, dims }; got ${
        show(made)
      }`,
    );
  }
  const count = dims.reduce((product: number, length: number) => product * length, 1);
  if (count !== data.length) {
    throw new RangeError(
      `Cannot run ${model}: the function that derives ${name} must return ${
        dims.join(" * ") || 1
      } numbers; got ${data.length}`,
    );
  }
  return array.resize(count).copy(0, data, 0, count).feed(dims);
}
