/**
 * Parts of a batch that a model evaluates together: all systems, or a single system.
 *
 * @module
 */

import type { Buffer, Edges } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Axis, Form } from "./manifest/meanings.ts";

type Floats = Float32Array | Float64Array;

/** Values of a batch that change at each step, as arrays in host memory. */
export interface OnnxArrays {
  /** One flag per system: 1 if the system is active. */
  readonly active: Int32Array;
  /** Positions in Å, three per atom. */
  readonly positions: Floats;
  /** Lattice vectors in Å, nine numbers per system. */
  readonly cell: Floats;
  /** Charges in e, one per atom; `undefined` if the model does not use them. */
  readonly charges: Floats | undefined;
  /** Lists of edges and triplets; `undefined` if the model has no edges. */
  readonly lists: OnnxLists | undefined;
}

/** Lists of {@linkcode Edges} as arrays in host memory. */
export interface OnnxLists {
  /** Number of edges, followed by the number of triplets. */
  readonly counts: Int32Array;
  /** Source atoms of all edges, followed by their target atoms. */
  readonly index: Int32Array;
  /** Shifts in Å, three numbers per edge. */
  readonly shifts: Floats;
  /** Index of the system of each edge. */
  readonly systems: Int32Array;
  /** Index of the central atom of each triplet. */
  readonly centers: Int32Array;
  /** Indices of the first edges of all triplets, followed by the indices of their second edges. */
  readonly triplets: Int32Array;
  /** Bonds of a part; undefined if the model does not use bonds. */
  readonly bonds?: OnnxBonds;
}

/** Bonds of a part. A bond is a pair of opposite edges. Bonds and edges are counted from 0 within the part. */
export interface OnnxBonds {
  /** Number of bonds. */
  readonly count: number;
  /** Index of the bond of each edge. */
  readonly ofEdges: Int32Array;
  /** Index of the first edge of each bond. */
  readonly edges: Int32Array;
}

/** Sources of the values of a batch that change at each step. */
export interface OnnxBuffers {
  /** The batch on its backend. */
  readonly state: ResidentBatch;
  /** True if the model uses charges. */
  readonly hasCharges: boolean;
  /** The lists of the kernels; `undefined` if the model has no edges. */
  readonly edges: Edges | undefined;
}

/**
 * Returns the current values of a batch. On a backend in host memory they are views, which are returned synchronously
 * and stay valid until the next call of the backend. On a GPU they are copies.
 */
export function viewOrReadArrays(
  { state, hasCharges, edges }: OnnxBuffers,
): OnnxArrays | Promise<OnnxArrays> {
  const buffers: readonly Buffer[] = [
    state.frame.active,
    state.field("positions"),
    state.field("cell"),
    ...(edges === undefined ? [] : [edges.counts, edges.index, edges.shifts, edges.systems]),
    ...(edges === undefined ? [] : [edges.centers, edges.triplets]),
    ...(hasCharges ? [state.field("charges")] : []),
  ];
  const seen = state.backend.viewOrRead(buffers);
  const has = { charges: hasCharges, lists: edges !== undefined };
  return seen instanceof Promise ? seen.then((all) => named(all, has)) : named(seen, has);
}

function named(
  seen: readonly (Floats | Int32Array)[],
  has: { readonly charges: boolean; readonly lists: boolean },
): OnnxArrays {
  const [active, positions, cell, counts, index, shifts, systems, centers, triplets] = seen;
  return {
    active,
    positions,
    cell,
    charges: has.charges ? seen.at(-1) : undefined,
    lists: has.lists ? { counts, index, shifts, systems, centers, triplets } : undefined,
  } as OnnxArrays;
}

/** A range of successive systems of a batch, with the ranges of their atoms, edges and triplets. */
export class OnnxPart {
  /** Index of the first system, and index after the last one. */
  readonly systems: readonly [from: number, to: number];
  /** Index of the first atom, and index after the last one. */
  readonly nodes: readonly [from: number, to: number];
  /** Index of the first edge, and index after the last one. */
  edges: readonly [from: number, to: number] = [0, 0];
  /** Index of the first triplet, and index after the last one. */
  triplets: readonly [from: number, to: number] = [0, 0];
  /** Length of each kind of axis within the part, including padding. */
  readonly sizes: Record<Exclude<Axis, number>, number>;
  readonly #padding: boolean;

  /**
   * Creates the part with the systems `from` to below `to`. `offsets` has the index of the first atom of each system.
   * `padding` is true if lists are padded.
   */
  constructor(offsets: Int32Array, from: number, to: number, padding: boolean = false) {
    this.systems = [from, to];
    this.nodes = [offsets[from]!, offsets[to]!];
    this.#padding = padding;
    const count = to - from;
    const nodes = this.nodes[1] - this.nodes[0];
    this.sizes = { N: nodes, E: 0, T: 0, U: 0, K: 0, B: count, "B+1": count + 1, "3B": 3 * count };
  }

  /**
   * Sets the ranges and lengths of the part to those of its edges and triplets in the lists, which are sorted by
   * atom.
   */
  locate({ counts, index, centers }: OnnxLists): void {
    const [from, to] = this.nodes;
    this.edges = rangeOf(index, counts[0]!, from, to);
    this.triplets = rangeOf(centers, counts[1]!, from, to);
    const [edges, triplets] = [this.edges[1] - this.edges[0], this.triplets[1] - this.triplets[0]];
    this.sizes.E = this.#padding ? paddedCount(edges) : edges;
    this.sizes.T = this.#padding ? paddedCount(triplets) : triplets;
  }

  /** Sets the lengths of lists to their capacities, for a device, whose numbers of entries the host does not know. */
  useCapacities({ capacity, tripletCapacity }: Edges): void {
    this.sizes.E = capacity;
    this.sizes.T = tripletCapacity;
  }

  /** Returns the lengths of the axes of a form in this part, including padding. */
  dims(form: Form): readonly number[] {
    return form.map((axis) => typeof axis === "number" ? axis : this.sizes[axis]);
  }
}

/** Returns the range of the entries of an ascending list that belong to the atoms `from` to below `to`. */
function rangeOf(atoms: Int32Array, count: number, from: number, to: number): [number, number] {
  return [firstFrom(atoms, count, from), firstFrom(atoms, count, to)];
}

function firstFrom(atoms: Int32Array, count: number, atom: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (atoms[middle]! < atom) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Smallest and largest increment of padded lengths. */
const GRAINS = [16, 256] as const;

/**
 * Returns the padded length of a list of `count` entries. It is longer by at least one entry, and for long lists by
 * at most an eighth. Padded lengths grow in steps, so that shapes repeat.
 */
export function paddedCount(count: number): number {
  const eighth = 2 ** (Math.floor(Math.log2(count + 1)) - 3);
  const grain = Math.min(GRAINS[1], Math.max(GRAINS[0], eighth));
  return Math.ceil((count + 1) / grain) * grain;
}
