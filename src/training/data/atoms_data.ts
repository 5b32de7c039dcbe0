/**
 * Batches of structures for training potentials.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import type { BatchInput } from "../../batch/batch.ts";
import { TOO_FAR } from "../../batch/resident/origins.ts";
import { placeName } from "../../batch/store.ts";
import type { System } from "../../batch/system.ts";
import { freeEnergy, modelNumbers, type OnnxLayout } from "../../models/onnx/elements.ts";
import { readStructure, type Structure } from "../../models/onnx/structures/structure.ts";
import { type Atoms, atomsFeeds } from "./atoms_feeds.ts";
import {
  ATOMS_OPTIONS,
  type AtomsDataOptions,
  type AtomsPlan,
  type AtomsReplay,
  readAtomsOptions,
  type Target,
} from "./atoms_options.ts";
import { targetsOf } from "./atoms_targets.ts";
import { BATCHING_OPTIONS } from "./batch_plan.ts";
import { mixedBatches } from "./mixed_batches.ts";
import type { DataSource, TrainingBatch } from "./data_source.ts";
import { OwnBatches } from "./own_batches.ts";
import { boundsOf } from "./split_batch.ts";
import { systemsList } from "./systems_list.ts";
import { mapped } from "./tensor_data.ts";

const ACTION = "make data of atoms";

/**
 * Returns batches of structures for graphs that compute energies. A batch has the usual inputs of such a graph, and
 * the targets (energies, forces, stresses) that the systems have. Its tokens are its atoms, unless the option
 * `tokens` counts something else.
 *
 * The neighbors of a system are searched when the system is first used, and cached. Systems must not change
 * afterwards.
 *
 * @param systems the samples: systems, descriptions of systems, or a batch
 * @throws {TypeError} if an option is unknown or of the wrong type
 * @throws {RangeError} if there are no systems, if the value of an option is invalid, if some systems lack a target
 * that others have, or if atoms are more than 1000 Å from the origin without `invariant`
 *
 * @example
 * ```ts
 * import { atomsData } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const dimers = [3.6, 3.8, 4].map((r) => ({
 *   symbols: ["Ar", "Ar"],
 *   positions: [[0, 0, 0], [r, 0, 0]],
 *   energy: -0.01,
 * }));
 * const data = atomsData(dimers, { cutoff: 5, batchSize: 2, shuffle: false });
 * const [batch] = await Array.fromAsync(data.batches(0, 0));
 * assertEquals(Object.keys(batch!.feeds), [
 *   ...["z", "batch_idx", "energy0", "positions", "edge_index", "shifts", "energy_target", "atoms"],
 * ]);
 * ```
 */
export function atomsData(systems: BatchInput, options: AtomsDataOptions): DataSource {
  return atomsSource(systems, options, true);
}

/**
 * Creates the source of `atomsData`.
 *
 * @param isWhole false if the systems are a part of a dataset; with `partial`, they may then all lack a target
 */
export function atomsSource(
  systems: BatchInput,
  options: AtomsDataOptions,
  isWhole: boolean,
): DataSource {
  const { replay, ...own } = options;
  checkOptions(ACTION, options, [...BATCHING_OPTIONS, ...ATOMS_OPTIONS, "replay"]);
  const list = systemsList(ACTION, systems);
  const one = replay === undefined ? own : { weight: 1, ...own };
  const plan = readAtomsOptions(ACTION, one);
  if (plan.isSingle && options.batchSize !== 1) throw oneEach(plan.model.name, options.batchSize);
  const first = atomsOf(list, plan, isWhole);
  const atoms = replay === undefined ? first : joined(first, replayed(replay, own));
  const batches = mixedBatches(list.length, atoms.systems.length - list.length, options);
  const { name, tokens } = options;
  const made = new OwnBatches<Uint32Array>();
  const batchOf = (places: Uint32Array): TrainingBatch => {
    const feeds = atomsFeeds(atoms, places);
    made.add(feeds, places);
    return {
      feeds,
      size: places.length,
      tokens: tokens === undefined ? atomsIn(atoms.systems, places) : tokens(feeds),
    };
  };
  return {
    ...(name !== undefined && { name }),
    length: batches.length,
    batches: (epoch, from) => mapped(batches.places(epoch, from), batchOf),
    split: (batch, parts) => partsOf(atoms.systems, made.get(batch), parts).map(batchOf),
  };
}

function oneEach(name: string, batchSize: number): RangeError {
  return new RangeError(
    `batchSize must be 1, because ${name} takes one system at a time; got ${batchSize}. ` +
      "To average gradients over several batches, pass { accumulate } to the trainer",
  );
}

/**
 * Reads the systems of `replay`. Options that `replay` does not set are those of the other systems, except `weight`,
 * which is then 1.
 */
function replayed(replay: AtomsReplay, options: AtomsDataOptions): Atoms {
  const { systems, ratio: _, ...own } = replay;
  const known = ["energy", "forces", "stress", "virial", "partial", "weight", "elementEnergies"];
  checkOptions(`${ACTION}: replay`, own, known);
  const plan = readAtomsOptions(ACTION, { ...options, weight: 1, ...own });
  const list = systemsList(ACTION, systems);
  if (list.length > 0) return atomsOf(list, plan, false);
  throw new RangeError(`Cannot ${ACTION}: replay must have at least one system; got 0`);
}

/**
 * Concatenates the data of two lists of systems. Throws a RangeError if the second list lacks a target of the first.
 */
function joined(first: Atoms, second: Atoms): Atoms {
  const count = first.systems.length;
  const values = new Map<Target, readonly Float32Array[]>(),
    weights = new Map<Target, Float32Array>();
  for (const [target, own] of first.targets.values) {
    const others = second.targets.values.get(target);
    if (others === undefined) {
      throw new RangeError(
        `Cannot ${ACTION}: no system of replay has ${target}. Add it, or pass partial: true to train without`,
      );
    }
    values.set(target, [...own, ...others]);
    const both = [first, second].flatMap(({ targets }) => [...targets.weights!.get(target)!]);
    weights.set(target, Float32Array.from(both));
  }
  return {
    ...first,
    systems: [...first.systems, ...second.systems],
    structure: (place) => place < count ? first.structure(place) : second.structure(place - count),
    targets: { values, weights },
  };
}

/** Returns the data of a list of systems. The edges of a system are searched when it is first used. */
function atomsOf(list: readonly System[], plan: AtomsPlan, isWhole: boolean): Atoms {
  const { model, energies, names } = plan;
  if (!model.isInvariant) assertNear(list);
  const layout = layoutOf(list), numbers = list.flatMap((system) => Array.from(system.numbers));
  const atoms = Int32Array.from(numbers);
  modelNumbers(model.name, model.elements, layout, atoms, model.limits); // throws an error that names the system
  const free = (place: number) =>
    energies === undefined ? 0 : freeEnergy(model.name, energies, layout, atoms, place);
  return {
    systems: list,
    structure: kept((place) => readStructure(model, list[place]!)),
    targets: targetsOf(ACTION, list, plan, { freeEnergy: free, isWhole }),
    model,
    names,
  };
}

/**
 * Returns the layout of the atoms of all systems in one list: the first atom of each system, and the system of each
 * atom.
 */
function layoutOf(list: readonly System[]): OnnxLayout {
  const nodeOffsets = new Int32Array(list.length + 1);
  for (const [i, { nodeCount }] of list.entries()) nodeOffsets[i + 1] = nodeOffsets[i]! + nodeCount;
  const systemOfNode = new Int32Array(nodeOffsets.at(-1)!);
  for (const i of list.keys()) systemOfNode.fill(i, nodeOffsets[i], nodeOffsets[i + 1]);
  return { size: list.length, nodeOffsets, systemOfNode, infos: list.map(({ info }) => info) };
}

/** Throws a RangeError if an atom is so far from the origin that float32 positions are inexact. */
function assertNear(systems: readonly System[]): void {
  for (const [place, { positions, info }] of systems.entries()) {
    const at = positions.findIndex((x) => Math.abs(x) > TOO_FAR);
    if (at === -1) continue;
    throw new RangeError(
      `Cannot ${ACTION}: atoms must be at most ${TOO_FAR} Å from the origin, where float32 is exact enough; got ` +
        `${positions[at]} Å for atom ${Math.floor(at / 3)} of system ${
          placeName(place, info)
        }. Wrap or translate the system, or pass ` +
        "invariant: true if translations do not change the result of the graph",
    );
  }
}

/** Returns a function that calls `find` once per index, and caches the result. */
function kept(find: (place: number) => Structure): (place: number) => Structure {
  const found: Structure[] = [];
  return (place) => found[place] ??= find(place);
}

function atomsIn(systems: readonly System[], places: Uint32Array): number {
  return places.reduce((sum, place) => sum + systems[place]!.nodeCount, 0);
}

/**
 * Divides the systems of a batch into at most `parts` consecutive groups with similar numbers of atoms. Each group
 * has at least one system.
 */
function partsOf(systems: readonly System[], places: Uint32Array, parts: number): Uint32Array[] {
  const count = boundsOf("split a batch", places.length, parts).length - 1;
  const all = atomsIn(systems, places);
  const result: Uint32Array[] = [];
  let begin = 0, atoms = 0;
  for (let k = 1; k <= count; k++) {
    const last = places.length - (count - k);
    let end = begin + 1;
    atoms += systems[places[begin]!]!.nodeCount;
    // The next system joins this part if at least half of its atoms lie before the ideal end of the part.
    while (end < last) {
      const next = systems[places[end]!]!.nodeCount;
      if (atoms + next / 2 > all * k / count) break;
      atoms += next;
      end++;
    }
    result.push(places.subarray(begin, end));
    begin = end;
  }
  return result;
}
