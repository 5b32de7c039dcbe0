/**
 * Functions that fill the inputs of a model, one for each meaning.
 *
 * @module
 */

import { FAR } from "../../kernels/edges/edge_list.ts";
import { type Info, placeName } from "../../batch/store.ts";
import { invertCell } from "../../kernels/cells/inverse.ts";
import type { FeedArray } from "./feed_array.ts";
import { fillMask, fillNeighbors, fillShifts } from "./lists/neighbor_matrix.ts";
import type { OnnxInput } from "./manifest/manifest.ts";
import type { Form } from "./manifest/meanings.ts";
import type { OnnxArrays, OnnxLists, OnnxPart } from "./onnx_part.ts";
import { reverseEdges } from "./reverse_edges.ts";

/** Values of a batch that do not change during a run. */
export interface OnnxConstants {
  /** Element of each atom, as the number that the model uses for it. */
  readonly numbers: ArrayLike<number>;
  /** Atomic number of each atom. */
  readonly atomicNumbers: ArrayLike<number>;
  /** Masses in amu, one per atom; empty if the model does not use them. */
  readonly masses: ArrayLike<number>;
  /** Periodicity, three flags per system; empty if the model does not use it. */
  readonly pbc: ArrayLike<number>;
  /** Index of the system of each atom. */
  readonly systemOfNode: Int32Array;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly nodeOffsets: Int32Array;
  /** The `info` of each system, for error messages. */
  readonly infos: readonly Info[];
  /**
   * Index of each system in the batch, for error messages, if these are only some of its systems.
   *
   * @default undefined: all systems, in order
   */
  readonly indices?: Int32Array;
}

/** Returns the name of a system for error messages. */
export function nameOf({ infos, indices }: OnnxConstants, system: number): string {
  return placeName(indices?.[system] ?? system, infos[system]);
}

/** Writes the values of an input that do not change to an array, whose length is already correct. */
type FillConstant = (to: FeedArray, part: OnnxPart, constants: OnnxConstants) => void;

/** Functions that fill inputs once per batch, by meaning. */
export const CONSTANTS: { readonly [k in OnnxInput]?: FillConstant } = {
  numbers: (to, { nodes }, { numbers }) => void to.copy(0, numbers, ...nodes),
  masses: (to, { nodes }, { masses }) => void to.copy(0, masses, ...nodes),
  pbc: (to, { systems: [from, end] }, { pbc }) => void to.copy(0, pbc, 3 * from, 3 * end),
  batchIndex: (to, { nodes, systems: [from] }, { systemOfNode }) =>
    void to.copy(0, systemOfNode, ...nodes, { minus: from }),
  systems: (to, { sizes }) => void to.fill(0, 0, sizes.B),
  systemSizes: (to, { systems: [from, end] }, { nodeOffsets }) => {
    for (let s = from; s < end; s++) {
      const size = nodeOffsets[s + 1]! - nodeOffsets[s]!;
      to.fill(size, s - from, s - from + 1);
    }
  },
  systemOffsets: (to, { systems: [from, end], nodes }, { nodeOffsets }) =>
    void to.copy(0, nodeOffsets, from, end + 1, { minus: nodes[0] }),
  nodeCount: (to, { sizes }) => void to.fill(sizes.N, 0, 1),
  systemCount: (to, { sizes }) => void to.fill(sizes.B, 0, 1),
};

/** Values from which the inputs of a step are filled. */
export interface Filling {
  /** Values of the whole batch at the current step. */
  readonly arrays: OnnxArrays;
  /** The part of the batch whose values are written. */
  readonly part: OnnxPart;
  /** Number of the model's length units in one Å. */
  readonly perAngstrom: number;
  /** Form of the shape of the input. */
  readonly form: Form;
}

/** Functions that fill inputs at each step, by meaning. */
export const MOVING: { readonly [k in OnnxInput]?: (to: FeedArray, filling: Filling) => void } = {
  positions: (to, { arrays, part: { nodes: [from, end] }, perAngstrom }) =>
    void to.copy(0, arrays.positions, 3 * from, 3 * end, { scale: perAngstrom }),
  cell: (to, { arrays, part: { systems: [from, end] }, perAngstrom }) =>
    void to.copy(0, arrays.cell, 9 * from, 9 * end, { scale: perAngstrom }),
  charges: (to, { arrays, part: { nodes } }) => void to.copy(0, arrays.charges!, ...nodes),
  edgeCount: (to, { part }) => void to.fill(part.sizes.E, 0, 1),
  edges: (to, filling) => {
    const isRows = filling.form[0] === 2;
    atoms(to, filling, 0, 0, isRows ? 1 : 2);
    atoms(to, filling, 1, isRows ? filling.part.sizes.E : 1, isRows ? 1 : 2);
  },
  edgeSources: (to, filling) => atoms(to, filling, 0, 0, 1),
  edgeTargets: (to, filling) => atoms(to, filling, 1, 0, 1),
  shifts: (to, { arrays, part: { edges: [from, end], sizes }, perAngstrom }) => {
    to.copy(0, arrays.lists!.shifts, 3 * from, 3 * end, { scale: perAngstrom });
    to.fill(0, 3 * (end - from), 3 * sizes.E);
    to.fill(FAR * perAngstrom, 3 * (end - from), 3 * sizes.E, 3);
  },
  reverseEdges: (to, { arrays, part }) => {
    const count = part.edges[1] - part.edges[0];
    to.copy(0, reverseEdges(arrays.lists!, part), 0, count);
    // Edges of the padding are their own reverse.
    for (let e = count; e < part.sizes.E; e++) to.fill(e, e, e + 1);
  },
  cellShifts: (to, { arrays, part }) => latticeShifts(to, arrays, part),
  edgeBatchIndex: (to, { arrays, part: { edges, systems, sizes } }) => {
    to.copy(0, arrays.lists!.systems, ...edges, { minus: systems[0] });
    to.fill(0, edges[1] - edges[0], sizes.E);
  },
  edgeBonds: (to, { arrays, part: { sizes } }) =>
    void to.copy(0, arrays.lists!.bonds!.ofEdges, 0, sizes.E),
  bondEdges: (to, { arrays, part: { sizes } }) =>
    void to.copy(0, arrays.lists!.bonds!.edges, 0, sizes.U),
  neighborMatrix: (to, { arrays, part }) => fillNeighbors(to, arrays.lists!, part),
  neighborMask: (to, { arrays, part }) => fillMask(to, arrays.lists!, part),
  neighborShifts: (to, { arrays, part, perAngstrom }) =>
    fillShifts(to, arrays.lists!, part, perAngstrom),
  bondGraph: (to, filling) => bondGraph(to, filling),
  tripletCenters: (to, { arrays, part: { triplets, nodes, sizes } }) => {
    to.copy(0, arrays.lists!.centers, ...triplets, { minus: nodes[0] });
    to.fill(0, triplets[1] - triplets[0], sizes.T);
  },
  tripletEdges: (to, filling) => {
    const isRows = filling.form[0] === 2;
    edgesOf(to, filling, 0, 0, isRows ? 1 : 2);
    edgesOf(to, filling, 1, isRows ? filling.part.sizes.T : 1, isRows ? 1 : 2);
  },
};

/**
 * Writes the source atoms (`row` 0) or target atoms (`row` 1) of edges, beginning at index `at`. Padding edges get
 * atom 0.
 */
function atoms(
  to: FeedArray,
  { arrays, part: { edges: [from, end], nodes, sizes } }: Pick<Filling, "arrays" | "part">,
  row: 0 | 1,
  at: number,
  stride: number,
): void {
  const { index } = arrays.lists!;
  const begin = row * index.length / 2;
  to.copy(at, index, begin + from, begin + end, { minus: nodes[0], stride });
  to.fill(0, at + stride * (end - from), at + stride * sizes.E, stride);
}

/**
 * Writes the first edges (`row` 0) or second edges (`row` 1) of triplets, beginning at index `at`. Padding triplets
 * get the first padding edge.
 */
function edgesOf(
  to: FeedArray,
  { arrays, part: { triplets: [from, end], edges, sizes } }: Pick<Filling, "arrays" | "part">,
  row: 0 | 1,
  at: number,
  stride: number,
): void {
  const { triplets } = arrays.lists!;
  const begin = row * triplets.length / 2;
  to.copy(at, triplets, begin + from, begin + end, { minus: edges[0], stride });
  to.fill(edges[1] - edges[0], at + stride * (end - from), at + stride * sizes.T, stride);
}

/**
 * Writes the bond graph of CHGNet. Each triplet has five numbers: the center, the bond and the edge of one side, and
 * the bond and the edge of the other side. This input is never padded.
 */
function bondGraph(
  to: FeedArray,
  { arrays, part: { triplets: [from, end], edges: [first], nodes, sizes }, form }: Filling,
): void {
  const { centers, triplets, bonds } = arrays.lists!;
  const isRows = form[0] === 5, stride = isRows ? 1 : 5, row = isRows ? sizes.T : 1;
  const length = triplets.length / 2;
  to.copy(0, centers, from, end, { minus: nodes[0], stride });
  for (const side of [0, 1]) {
    const begin = side * length;
    to.copy((2 + 2 * side) * row, triplets, begin + from, begin + end, { minus: first, stride });
    // hot
    for (let t = from, k = (1 + 2 * side) * row; t < end; t++, k += stride) {
      to.fill(bonds!.ofEdges[triplets[begin + t]! - first]!, k, k + 1);
    }
  }
}

const inverse = new Float64Array(9);
const whole = new Float64Array(3);

/** Writes the shifts of edges in multiples of lattice vectors. Models with this input are never padded. */
function latticeShifts(
  to: FeedArray,
  { cell, lists }: OnnxArrays,
  { edges: [from, end] }: OnnxPart,
): void {
  const { shifts, systems } = lists as OnnxLists;
  let last = -1;
  // hot
  for (let e = from; e < end; e++) {
    const system = systems[e]!;
    if (system !== last) invertCell(cell, 9 * (last = system), inverse);
    for (let k = 0; k < 3; k++) {
      whole[k] = Math.round(
        shifts[3 * e]! * inverse[k]! + shifts[3 * e + 1]! * inverse[3 + k]! +
          shifts[3 * e + 2]! * inverse[6 + k]!,
      );
    }
    to.copy(3 * (e - from), whole, 0, 3);
  }
}
