/**
 * Tensors of some systems.
 *
 * @module
 */

import { originOf } from "../../batch/resident/origins.ts";
import type { System } from "../../batch/system.ts";
import { FeedArray } from "../../models/onnx/feed_array.ts";
import type { HostFeed, TensorDtype } from "../../onnx/session/session_tensor.ts";
import type { AtomsEdges } from "./atoms_edges.ts";
import type { AtomsName, AtomsPlan } from "./atoms_options.ts";
import type { AtomsTargets } from "./atoms_targets.ts";
import type { TrainingFeeds } from "./data_source.ts";

/** All that tensors are made of. */
export interface Atoms {
  /** The structures. */
  readonly systems: readonly System[];
  /** The model's number of each atom, by system. */
  readonly numbers: readonly Int32Array[];
  /** The edges of a system, by its place. */
  readonly edges: (place: number) => AtomsEdges;
  /** The targets. */
  readonly targets: AtomsTargets;
  /** Names of the tensors. */
  readonly names: AtomsPlan["names"];
  /** True if positions may be relative to a point near a system. */
  readonly isInvariant: boolean;
}

/** The tensors of the systems at these places, in this order. */
export function atomsFeeds(atoms: Atoms, places: ArrayLike<number>): TrainingFeeds {
  const draft = new Draft(atoms, places);
  for (let b = 0; b < places.length; b++) draft.add(b, places[b]!);
  return draft.feeds;
}

/** Numbers of atoms, edges and triplets, in a batch or before a system. */
interface Counts {
  nodes: number;
  edges: number;
  triplets: number;
}

/** Tensors that systems are put into one by one. */
class Draft {
  readonly feeds: Record<string, HostFeed> = {};
  readonly #atoms: Atoms;
  readonly #arrays = new Map<AtomsName, FeedArray>();
  readonly #total: Counts = { nodes: 0, edges: 0, triplets: 0 };
  readonly #before: Counts = { nodes: 0, edges: 0, triplets: 0 };

  constructor(atoms: Atoms, places: ArrayLike<number>) {
    this.#atoms = atoms;
    const total = this.#total;
    for (let b = 0; b < places.length; b++) {
      const { count, centers } = atoms.edges(places[b]!);
      total.nodes += atoms.systems[places[b]!]!.nodeCount;
      total.edges += count;
      total.triplets += centers.length;
    }
    const [B, N, E, T] = [places.length, total.nodes, total.edges, total.triplets];
    this.#allocate("float32", { positions: [N, 3], shifts: [E, 3], systems: [B], cell: [B, 3, 3] });
    this.#allocate("int64", { numbers: [N], batchIndex: [N], edges: [2, E] });
    this.#allocate("int64", { tripletCenters: [T], tripletEdges: [2, T] });
    const { targets } = atoms;
    if (targets.has("energy")) this.#allocate("float32", { energy: [B], systemSizes: [B] });
    if (targets.has("forces")) this.#allocate("float32", { forces: [N, 3] });
    if (targets.has("stress")) this.#allocate("float32", { stress: [B, 3, 3] });
  }

  /** Puts in a system as the b-th. */
  add(b: number, place: number): void {
    const { systems, numbers, edges: edgesAt, targets } = this.#atoms;
    const { positions, cell, nodeCount } = systems[place]!;
    const edges = edgesAt(place);
    const { nodes: n, edges: e, triplets: t } = this.#before;
    this.#put("positions", 3 * n, this.#near(positions));
    this.#put("numbers", n, numbers[place]!);
    this.#arrays.get("batchIndex")?.fill(b, n, n + nodeCount);
    this.#put("shifts", 3 * e, edges.shifts);
    this.#putRows("edges", e, edges.index, n);
    this.#put("tripletCenters", t, edges.centers, n);
    this.#putRows("tripletEdges", t, edges.triplets, e);
    this.#put("cell", 9 * b, cell);
    this.#put("systemSizes", b, [nodeCount]);
    for (const [target, values] of targets) {
      const at = { energy: b, forces: 3 * n, stress: 9 * b }[target];
      this.#put(target, at, values[place]!);
    }
    this.#before.nodes += nodeCount;
    this.#before.edges += edges.count;
    this.#before.triplets += edges.centers.length;
  }

  /** Returns the positions to feed: relative to a point near a far system if that changes nothing for the graph. */
  #near(positions: Float64Array): Float64Array {
    if (!this.#atoms.isInvariant) return positions;
    const origin = originOf(positions, 0, positions.length / 3);
    return origin.every((x) => x === 0) ? positions : positions.map((x, i) => x - origin[i % 3]!);
  }

  #allocate(dtype: TensorDtype, shapes: Readonly<Partial<Record<AtomsName, number[]>>>): void {
    for (const [key, dims] of Object.entries(shapes)) {
      const name = this.#atoms.names.get(key as AtomsName);
      if (name === undefined) continue;
      const length = dims.reduce((product, dim) => product * dim, 1);
      const array = new FeedArray(dtype).resize(length);
      this.#arrays.set(key as AtomsName, array);
      this.feeds[name] = array.feed(dims);
    }
  }

  #put(name: AtomsName, at: number, values: ArrayLike<number>, plus: number = 0): void {
    this.#arrays.get(name)?.copy(at, values, 0, values.length, { minus: -plus });
  }

  /** Two rows into two rows. */
  #putRows(name: AtomsName, at: number, values: Int32Array, plus: number): void {
    const array = this.#arrays.get(name);
    if (array === undefined) return;
    const [own, all] = [values.length / 2, array.data.length / 2];
    array.copy(at, values, 0, own, { minus: -plus });
    array.copy(all + at, values, own, 2 * own, { minus: -plus });
  }
}
