/**
 * Support for batches without edges or triplets. Some graphs fail on empty lists: SevenNet's Split does,
 * others compute the mean or maximum of nothing. A companion system of three atoms is added to such a batch,
 * so that no list is empty. Systems do not interact, so the results of the other systems do not change.
 *
 * @module
 */

import type {
  Feeds,
  Outputs,
  TensorArray,
  TensorInfo,
} from "../../../onnx/session/session_tensor.ts";
import type { OnnxBindings } from "../bindings.ts";
import { type FeedRules, PartFeeds } from "../feeds.ts";
import type { OnnxConstants } from "../fills.ts";
import { type OnnxArrays, type OnnxLists, OnnxPart } from "../onnx_part.ts";

/** Distances up to which a model needs edges and triplets. */
export interface ModelReach extends FeedRules {
  /** Cutoff radius of edges in Å; 0 if the model has no edges. */
  readonly cutoff: number;
  /** Largest length in Å of the edges of triplets; 0 if the model has no triplets. */
  readonly reach: number;
  /** True if each pair is listed once, with the lower atom first. False if it is listed in both directions. */
  readonly isHalf: boolean;
}

/** Number of atoms of the companion: the smallest number with which a system has a triplet. */
export const COMPANION_ATOMS = 3;

/**
 * Edges of the companion, sorted by source atom. A half list contains only the edges whose target has the higher
 * index.
 */
const PAIRS = [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]] as const;

/** Returns whether a companion system may be added to the inputs of a model. */
export function mayHaveCompanion({ bindings }: FeedRules): boolean {
  const { batch, hasEdges, inputs, outputs } = bindings;
  return batch === "joined" && hasEdges &&
    // A constant input with a free length has values for the original batch only.
    !inputs.some(({ meaning, tensor }) => meaning === "constant" && hasFreeLength(tensor)) &&
    // An output with a single value for the whole batch would include the companion.
    outputs.every(({ tensor }) => hasFreeLength(tensor));
}

/** Returns whether any dimension of a tensor has no fixed length. */
export function hasFreeLength({ shape }: TensorInfo): boolean {
  return shape.some((length) => typeof length === "string" || length < 0);
}

/** Inputs of a model for a whole batch and its companion. */
export class CompanionFeeds {
  readonly #model: ModelReach;
  readonly #own: OnnxPart;
  readonly #all: OnnxPart;
  readonly #feeds: PartFeeds;

  /** Prepares the inputs that do not change between steps. `own` is the part that contains the whole batch. */
  constructor(model: ModelReach, own: OnnxPart, constants: OnnxConstants) {
    const { nodeOffsets } = constants, end = own.nodes[1] + COMPANION_ATOMS;
    const offsets = Int32Array.of(...nodeOffsets.subarray(0, own.systems[1] + 1), end);
    this.#model = model;
    this.#own = own;
    this.#all = new OnnxPart(offsets, 0, own.systems[1] + 1);
    this.#feeds = new PartFeeds(model, this.#all, withCompanion(constants, own, offsets));
  }

  /** Returns the inputs for the values in `arrays`. They are valid until the next call. */
  fill(arrays: OnnxArrays): Feeds {
    return this.#feeds.fill(besides(arrays, this.#own, this.#model));
  }

  /**
   * Returns the outputs without the rows of the companion; `undefined` if the length of an output is neither one row
   * per atom nor one row per system.
   */
  own(outputs: Outputs, bindings: OnnxBindings): Outputs | undefined {
    const own: Record<string, Outputs[string]> = {};
    const { N, B } = this.#own.sizes, all = this.#all.sizes;
    for (const { tensor: { name }, level, width } of bindings.outputs) {
      const tensor = outputs[name] as Extract<Outputs[string], { location: "host" }>;
      const isNodes = level === "node" ||
        (level === undefined && tensor.data.length !== all.B * width);
      if (tensor.data.length !== (isNodes ? all.N : all.B) * width) return undefined;
      const data: TensorArray = tensor.data.subarray(0, (isNodes ? N : B) * width);
      own[name] = { ...tensor, data } as typeof tensor;
    }
    return own;
  }
}

/**
 * Returns the constants of a batch with its companion. The companion's atoms have the element of the batch's first
 * atom.
 */
function withCompanion(
  { numbers, atomicNumbers, masses, pbc, systemOfNode, infos, indices }: OnnxConstants,
  { nodes: [, N], systems: [, B] }: OnnxPart,
  nodeOffsets: Int32Array,
): OnnxConstants {
  const more = (values: ArrayLike<number>, ...added: readonly number[]) =>
    values.length === 0 ? values : Float64Array.of(...Array.from(values), ...added);
  const three = (value: number) => Array<number>(COMPANION_ATOMS).fill(value);
  const system = new Int32Array(N + COMPANION_ATOMS).fill(B);
  system.set(systemOfNode.subarray(0, N));
  return {
    numbers: more(numbers, ...three(numbers[0]!)),
    atomicNumbers: more(atomicNumbers, ...three(atomicNumbers[0]!)),
    masses: more(masses, ...three(masses[0]!)),
    pbc: more(pbc, 0, 0, 0),
    systemOfNode: system,
    nodeOffsets,
    infos,
    ...(indices !== undefined && { indices }),
  };
}

/** Returns the cutoff radius of the list with the shortest one, Å. */
function shortestCutoff({ cutoff, bindings }: ModelReach): number {
  return Math.min(cutoff, ...bindings.rules.others.map((other) => other.cutoff));
}

/**
 * Returns the values of `arrays` with those of the companion appended. The companion is an equilateral triangle at
 * the first atom, with sides well below the cutoff.
 */
function besides(arrays: OnnxArrays, own: OnnxPart, model: ModelReach): OnnxArrays {
  const { nodes: [, N], systems: [, B] } = own;
  const side = model.reach > 0 ? 0.7 * model.reach : 0.5 * shortestCutoff(model);
  const triangle = [0, 0, 0, side, 0, 0, side / 2, side * Math.sqrt(3) / 2, 0];
  const positions = grown(arrays.positions, 3 * N, 3 * COMPANION_ATOMS);
  triangle.forEach((x, i) => positions[3 * N + i] = arrays.positions[i % 3]! + x);
  const active = grown(arrays.active, B, 1);
  active[B] = 1;
  return {
    active,
    positions,
    cell: grown(arrays.cell, 9 * B, 9),
    charges: arrays.charges && grown(arrays.charges, N, COMPANION_ATOMS),
    lists: listsWith(arrays.lists!, own, model),
  };
}

/**
 * Returns the lists with the edges and triplets of the companion appended. This keeps them sorted by atom, because
 * the atoms of the companion are the last ones.
 */
function listsWith(
  lists: OnnxLists,
  { nodes: [, N], systems: [, B] }: OnnxPart,
  model: ModelReach,
) {
  const pairs = PAIRS.filter(([i, j]) => !model.isHalf || i < j);
  const [E = 0, T = 0] = lists.counts;
  const index = joined(lists.index, E, pairs.map(([i]) => N + i), pairs.map(([, j]) => N + j));
  const systems = grown(lists.systems, E, pairs.length).fill(B, E);
  const shifts = grown(lists.shifts, 3 * E, 3 * pairs.length);
  if (!model.bindings.hasTriplets) {
    const counts = Int32Array.of(E + pairs.length, T);
    return { ...lists, counts, index, shifts, systems };
  }
  const centers = grown(lists.centers, T, COMPANION_ATOMS);
  for (let a = 0; a < COMPANION_ATOMS; a++) centers[T + a] = N + a;
  const triplets = joined(lists.triplets, T, [E, E + 2, E + 4], [E + 1, E + 3, E + 5]);
  return {
    counts: Int32Array.of(E + pairs.length, T + COMPANION_ATOMS),
    index,
    shifts,
    systems,
    centers,
    triplets,
  };
}

/** Returns a copy of the first `count` values, followed by `more` zeros. */
function grown<T extends Int32Array | Float32Array | Float64Array>(
  values: T,
  count: number,
  more: number,
): T {
  const longer = new (values.constructor as new (length: number) => T)(count + more);
  longer.set(values.subarray(0, count));
  return longer;
}

/**
 * Appends `first` and `second` to the two rows of an array. `rows` contains both rows, which have equal lengths; only
 * the first `count` values of each row are copied.
 */
function joined(
  rows: Int32Array,
  count: number,
  first: readonly number[],
  second: readonly number[],
): Int32Array {
  const half = rows.length / 2, length = count + first.length;
  const longer = new Int32Array(2 * length);
  longer.set(rows.subarray(0, count));
  longer.set(first, count);
  longer.set(rows.subarray(half, half + count), length);
  longer.set(second, length + count);
  return longer;
}
