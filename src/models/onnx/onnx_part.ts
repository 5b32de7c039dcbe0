/**
 * What of a batch is fed to a model at once: all of it, or one system after the other.
 *
 * @module
 */

import type { Buffer, Edges } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Axis, Form } from "./manifest/meanings.ts";

type Floats = Float32Array | Float64Array;

/** What moves, as arrays of host memory. Those of lists are there where the model is fed lists. */
export interface OnnxArrays {
  /** 1 for each system that is updated. */
  readonly active: Int32Array;
  /** Å. */
  readonly positions: Floats;
  /** Å. */
  readonly cell: Floats;
  /** e. */
  readonly charges: Floats | undefined;
  /** Edges and triplets. */
  readonly lists: OnnxLists | undefined;
}

/** The arrays of {@linkcode Edges}. */
export interface OnnxLists {
  /** How many edges, how many triplets. */
  readonly counts: Int32Array;
  /** Sources, then targets. */
  readonly index: Int32Array;
  /** Å. */
  readonly shifts: Floats;
  /** The system of each edge. */
  readonly systems: Int32Array;
  /** The atom that both edges of a triplet leave. */
  readonly centers: Int32Array;
  /** First edges, then second edges. */
  readonly triplets: Int32Array;
  /** Bonds of a part, where the model is fed them. */
  readonly bonds?: OnnxBonds;
}

/** Pairs of edges in both directions, counted from 0 in a part. */
export interface OnnxBonds {
  /** How many there are. */
  readonly count: number;
  /** The bond of each edge. */
  readonly ofEdges: Int32Array;
  /** The first edge of each bond. */
  readonly edges: Int32Array;
}

/** The buffers of what moves. */
export interface OnnxBuffers {
  /** The state. */
  readonly state: ResidentBatch;
  /** Whether charges are fed. */
  readonly hasCharges: boolean;
  /** What is listed, if anything is. */
  readonly edges: Edges | undefined;
}

/**
 * Looks at what moves: in host memory nothing is copied, nothing has to be awaited, and it is valid until the backend
 * is next called.
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

/** Some systems that follow each other. What is counted over the batch is counted from 0 in it. */
export class OnnxPart {
  /** The first system, and the one after the last. */
  readonly systems: readonly [from: number, to: number];
  /** The first atom, and the one after the last. */
  readonly nodes: readonly [from: number, to: number];
  /** The first edge, and the one after the last. */
  edges: readonly [from: number, to: number] = [0, 0];
  /** The first triplet, and the one after the last. */
  triplets: readonly [from: number, to: number] = [0, 0];
  /** How much there is of everything, padding included. */
  readonly sizes: Record<Exclude<Axis, number>, number>;
  readonly #padding: boolean;

  /** Systems `from` … `to` of a batch whose systems begin at `offsets`; `padding`: lists are longer than they need be. */
  constructor(offsets: Int32Array, from: number, to: number, padding: boolean = false) {
    this.systems = [from, to];
    this.nodes = [offsets[from]!, offsets[to]!];
    this.#padding = padding;
    const count = to - from;
    const nodes = this.nodes[1] - this.nodes[0];
    this.sizes = { N: nodes, E: 0, T: 0, U: 0, K: 0, B: count, "B+1": count + 1, "3B": 3 * count };
  }

  /** Finds its part of the lists, which come by atoms. */
  locate({ counts, index, centers }: OnnxLists): void {
    const [from, to] = this.nodes;
    this.edges = rangeOf(index, counts[0]!, from, to);
    this.triplets = rangeOf(centers, counts[1]!, from, to);
    const [edges, triplets] = [this.edges[1] - this.edges[0], this.triplets[1] - this.triplets[0]];
    this.sizes.E = this.#padding ? paddedCount(edges) : edges;
    this.sizes.T = this.#padding ? paddedCount(triplets) : triplets;
  }

  /** Takes lists as they are on a device, with all the room there is in them: the host does not know how many. */
  useCapacities({ capacity, tripletCapacity }: Edges): void {
    this.sizes.E = capacity;
    this.sizes.T = tripletCapacity;
  }

  /** The lengths of a shape. */
  dims(form: Form): readonly number[] {
    return form.map((axis) => typeof axis === "number" ? axis : this.sizes[axis]);
  }
}

/** Where, in an ascending list of atoms, those from `from` to `to` are. */
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

/** The least grain in which lists grow, and the largest. */
const GRAINS = [16, 256] as const;

/**
 * How long a list of so many is made: longer by at least one, by an eighth at most where lists are long, and in steps,
 * so that the same shapes come again.
 */
export function paddedCount(count: number): number {
  const eighth = 2 ** (Math.floor(Math.log2(count + 1)) - 3);
  const grain = Math.min(GRAINS[1], Math.max(GRAINS[0], eighth));
  return Math.ceil((count + 1) / grain) * grain;
}
