/**
 * Parts of a batch that a model takes at once: all systems, or one after the other.
 *
 * @module
 */

import type { Buffer, Edges } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Axis, Form } from "./manifest/meanings.ts";

type Floats = Float32Array | Float64Array;

/** Moving values as arrays in host memory. Lists are present if the model has edges. */
export interface OnnxArrays {
  /** 1 for each active system. */
  readonly active: Int32Array;
  /** Positions in Å. */
  readonly positions: Floats;
  /** Lattice vectors in Å. */
  readonly cell: Floats;
  /** Charges in e. */
  readonly charges: Floats | undefined;
  /** Edges and triplets. */
  readonly lists: OnnxLists | undefined;
}

/** Arrays of {@linkcode Edges}. */
export interface OnnxLists {
  /** Number of edges and number of triplets. */
  readonly counts: Int32Array;
  /** Source atoms of all edges, then target atoms. */
  readonly index: Int32Array;
  /** Shifts in Å. */
  readonly shifts: Floats;
  /** System of each edge. */
  readonly systems: Int32Array;
  /** Central atom of each triplet. */
  readonly centers: Int32Array;
  /** First edges of all triplets, then second edges. */
  readonly triplets: Int32Array;
  /** Bonds of a part, if the model has bonds. */
  readonly bonds?: OnnxBonds;
}

/** Bonds, which are pairs of opposite edges, counted from 0 in a part. */
export interface OnnxBonds {
  /** Number of bonds. */
  readonly count: number;
  /** Bond of each edge. */
  readonly ofEdges: Int32Array;
  /** First edge of each bond. */
  readonly edges: Int32Array;
}

/** Buffers of moving values. */
export interface OnnxBuffers {
  /** The state. */
  readonly state: ResidentBatch;
  /** True if the model has charges. */
  readonly hasCharges: boolean;
  /** The lists; `undefined` if the model has no edges. */
  readonly edges: Edges | undefined;
}

/**
 * Returns the moving values. In host memory they are views, returned synchronously without copies, and valid
 * until the next call of the backend.
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

/** Successive systems of a batch. Indices are counted from 0 within the part. */
export class OnnxPart {
  /** The first system, and the one after the last. */
  readonly systems: readonly [from: number, to: number];
  /** The first atom, and the one after the last. */
  readonly nodes: readonly [from: number, to: number];
  /** The first edge, and the one after the last. */
  edges: readonly [from: number, to: number] = [0, 0];
  /** The first triplet, and the one after the last. */
  triplets: readonly [from: number, to: number] = [0, 0];
  /** Lengths of all axes, including padding. */
  readonly sizes: Record<Exclude<Axis, number>, number>;
  readonly #padding: boolean;

  /**
   * Creates the part with systems `from` to `to`. `offsets` are the first atoms of systems. `padding` is true
   * if lists are padded.
   */
  constructor(offsets: Int32Array, from: number, to: number, padding: boolean = false) {
    this.systems = [from, to];
    this.nodes = [offsets[from]!, offsets[to]!];
    this.#padding = padding;
    const count = to - from;
    const nodes = this.nodes[1] - this.nodes[0];
    this.sizes = { N: nodes, E: 0, T: 0, U: 0, K: 0, B: count, "B+1": count + 1, "3B": 3 * count };
  }

  /** Locates the edges and triplets of the part in the lists, which are sorted by atoms. */
  locate({ counts, index, centers }: OnnxLists): void {
    const [from, to] = this.nodes;
    this.edges = rangeOf(index, counts[0]!, from, to);
    this.triplets = rangeOf(centers, counts[1]!, from, to);
    const [edges, triplets] = [this.edges[1] - this.edges[0], this.triplets[1] - this.triplets[0]];
    this.sizes.E = this.#padding ? paddedCount(edges) : edges;
    this.sizes.T = this.#padding ? paddedCount(triplets) : triplets;
  }

  /**
   * Sets the lengths of lists to their capacities on a device: the host does not know the numbers of entries.
   */
  useCapacities({ capacity, tripletCapacity }: Edges): void {
    this.sizes.E = capacity;
    this.sizes.T = tripletCapacity;
  }

  /** Returns the lengths of a form. */
  dims(form: Form): readonly number[] {
    return form.map((axis) => typeof axis === "number" ? axis : this.sizes[axis]);
  }
}

/** Returns the range of the atoms from `from` to `to` in an ascending list. */
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

/** Smallest and largest step in which padded lists grow. */
const GRAINS = [16, 256] as const;

/**
 * Returns the padded length of a list of `count` entries: longer by at least one, by at most an eighth for
 * long lists, and in steps, so that shapes repeat.
 */
export function paddedCount(count: number): number {
  const eighth = 2 ** (Math.floor(Math.log2(count + 1)) - 3);
  const grain = Math.min(GRAINS[1], Math.max(GRAINS[0], eighth));
  return Math.ceil((count + 1) / grain) * grain;
}
