/**
 * Input tensors of a batch of systems.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { FeedArray } from "../../models/onnx/feed_array.ts";
import type { Structure, StructureModel } from "../../models/onnx/structures/structure.ts";
import { structureFeeds } from "../../models/onnx/structures/structure_feeds.ts";
import type { HostFeed, TensorDtype } from "../../onnx/session/session_tensor.ts";
import type { AtomsPlan, AtomsTensor } from "./atoms_options.ts";
import type { AtomsTargets } from "./atoms_targets.ts";
import type { TrainingFeeds } from "./data_source.ts";

/** Data of a list of systems, from which the tensors of batches are made. */
export interface Atoms {
  /** The systems. */
  readonly systems: readonly System[];
  /** Returns a system in the form that the model takes, by its index in `systems`. */
  readonly structure: (place: number) => Structure;
  /** The targets of all systems. */
  readonly targets: AtomsTargets;
  /** The matched inputs of the graph to train. */
  readonly model: StructureModel;
  /** Names of the tensors that losses need. */
  readonly names: AtomsPlan["names"];
}

/** Returns the tensors of the systems at the given indices, in their order. */
export function atomsFeeds(atoms: Atoms, places: ArrayLike<number>): TrainingFeeds {
  const all = Array.from(places), structures = all.map(atoms.structure);
  // A companion system needs a weight of 0, and the tensor `zeros`, from which the graph knows the number of
  // systems.
  const mayAdd = atoms.targets.weights !== undefined && atoms.names.has("zeros");
  const { feeds, added } = structureFeeds(atoms.model, structures, mayAdd);
  const draft = new Draft(atoms, all, added);
  for (const [b, place] of all.entries()) draft.add(b, place);
  return { ...feeds as TrainingFeeds, ...draft.feeds };
}

/**
 * Tensors for losses, which are filled system by system. A companion system at the end, which only fills empty lists
 * of the model, has targets and weights of 0.
 */
class Draft {
  readonly feeds: Record<string, HostFeed> = {};
  readonly #atoms: Atoms;
  readonly #arrays = new Map<AtomsTensor, FeedArray>();
  #nodes = 0;

  constructor(atoms: Atoms, places: readonly number[], added: number) {
    this.#atoms = atoms;
    const own = places.reduce((sum, place) => sum + atoms.systems[place]!.nodeCount, 0);
    const [B, N] = [places.length + (added > 0 ? 1 : 0), own + added];
    const { values, weights } = atoms.targets;
    if (values.has("energy")) this.#allocate("float32", { energy: [B], systemSizes: [B] });
    if (values.has("forces")) this.#allocate("float32", { forces: [N, 3] });
    if (values.has("stress")) this.#allocate("float32", { stress: [B, 3, 3] });
    this.#allocate("float32", { zeros: [B], cells: [B, 3, 3] });
    this.#allocate("int64", { systemOfAtom: [N] });
    this.#arrays.get("systemSizes")?.fill(added, places.length, B);
    this.#arrays.get("systemOfAtom")?.fill(places.length, own, N);
    if (weights === undefined) return;
    if (values.has("energy")) this.#allocate("float32", { energyWeight: [B] });
    if (values.has("forces")) this.#allocate("float32", { forcesWeight: [N] });
    if (values.has("stress")) this.#allocate("float32", { stressWeight: [B] });
  }

  /**
   * Appends the system with index `place` in the list to the batch, as system `b`: writes its targets, weights and
   * cell.
   */
  add(b: number, place: number): void {
    const { systems, targets } = this.#atoms;
    const { cell, nodeCount } = systems[place]!, n = this.#nodes;
    this.#put("cells", 9 * b, cell);
    this.#put("systemSizes", b, [nodeCount]);
    this.#arrays.get("systemOfAtom")?.fill(b, n, n + nodeCount);
    for (const [target, values] of targets.values) {
      const at = { energy: b, forces: 3 * n, stress: 9 * b }[target];
      this.#put(target, at, values[place]!);
    }
    for (const [target, weights] of targets.weights ?? []) {
      const [from, to] = target === "forces" ? [n, n + nodeCount] : [b, b + 1];
      this.#arrays.get(`${target}Weight`)?.fill(weights[place]!, from, to);
    }
    this.#nodes += nodeCount;
  }

  #allocate(dtype: TensorDtype, shapes: Readonly<Partial<Record<AtomsTensor, number[]>>>): void {
    for (const [key, dims] of Object.entries(shapes)) {
      const name = this.#atoms.names.get(key as AtomsTensor);
      if (name === undefined) continue;
      const length = dims.reduce((product, dim) => product * dim, 1);
      const array = new FeedArray(dtype).resize(length);
      this.#arrays.set(key as AtomsTensor, array);
      this.feeds[name] = array.feed(dims);
    }
  }

  #put(name: AtomsTensor, at: number, values: ArrayLike<number>): void {
    this.#arrays.get(name)?.copy(at, values, 0, values.length);
  }
}
