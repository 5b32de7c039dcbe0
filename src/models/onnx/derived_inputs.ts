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
 * Values that a function receives to compute an input. The arrays are valid until the function returns. Indices of
 * atoms and edges begin with 0. For a model that takes one system at a time, all values are those of that system.
 */
export interface OnnxDerivedFrom {
  /**
   * Number of systems. If a batch has no edges or no triplets, it includes a system of three atoms that is added at
   * the end.
   */
  readonly systemCount: number;
  /** Number of atoms. */
  readonly nodeCount: number;
  /** Number of edges. It includes padding if the option `padding` is true. */
  readonly edgeCount: number;
  /** Number of triplets. It includes padding if the option `padding` is true. */
  readonly tripletCount: number;
  /** Element of each atom, as the number that the model uses for it. */
  readonly numbers: Int32Array;
  /** Positions in Å, three per atom. */
  readonly positions: Float64Array;
  /** Lattice vectors in Å, nine numbers per system. */
  readonly cell: Float64Array;
  /** Index of the system of each atom. */
  readonly batchIndex: Int32Array;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly systemOffsets: Int32Array;
  /** Index of the source atom of each edge. */
  readonly edgeSources: Int32Array;
  /** Index of the target atom of each edge. */
  readonly edgeTargets: Int32Array;
  /** Shifts in Å, three numbers per edge. The vector of an edge is `positions[target] − positions[source] + shift`. */
  readonly shifts: Float64Array;
  /** Index of the central atom of each triplet, which is the source of both its edges. */
  readonly tripletCenters: Int32Array;
  /**
   * Indices of the edges of triplets in two rows: the first edge of each triplet, then the second edge of each
   * triplet.
   */
  readonly tripletEdges: Int32Array;
}

/** Values of an input, with a shape. */
export interface OnnxDerived {
  /** Values in row-major order. */
  readonly data: ArrayLike<number>;
  /** Length along each dimension. */
  readonly dims: readonly number[];
}

/** A function that computes an input at each step. */
export type OnnxDerive = (from: OnnxDerivedFrom) => OnnxDerived;

/** Arrays of the values that custom functions receive. Their memory is reused at each step. */
export class DerivedArrays {
  readonly #arrays = new Map<string, FeedArray>();

  /** Writes the values of a part of the batch to the arrays, and returns them as the argument of custom functions. */
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
 * Copies the result of a custom function to `array`, which has the type of the input, and returns it as a tensor.
 * Throws a TypeError if the result is not `{ data, dims }`, and a RangeError if its shape does not have as many
 * elements as its data.
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
