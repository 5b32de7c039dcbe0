/**
 * Batches of atoms.
 *
 * @module
 */

import { Batch, type Systems } from "../../batch/batch.ts";
import { atomicSymbol } from "../../batch/elements.ts";
import { readSystem } from "../../batch/read_system.ts";
import { show } from "../../base/show.ts";
import { TOO_FAR } from "../../batch/resident/origins.ts";
import { System, systemOf } from "../../batch/system.ts";
import { type AtomsEdges, edgesOf } from "./atoms_edges.ts";
import { type Atoms, atomsFeeds } from "./atoms_feeds.ts";
import {
  ATOMS_OPTIONS,
  type AtomsDataOptions,
  type AtomsPlan,
  readAtomsOptions,
} from "./atoms_options.ts";
import { targetsOf } from "./atoms_targets.ts";
import { planBatches } from "./batch_plan.ts";
import type { DataSource, TrainingBatch } from "./data_source.ts";
import { OwnBatches } from "./own_batches.ts";
import { boundsOf } from "./split_batch.ts";
import { mapped } from "./tensor_data.ts";

const ACTION = "make data of atoms";

/**
 * Batches of structures for graphs that give energies: what such a graph is usually fed, and what it should give, as
 * far as the systems have it. Tokens are atoms, unless options say otherwise.
 *
 * Neighbors of a system are searched once, when it first comes up, and kept. Systems must not change afterwards.
 *
 * @param systems of which each is a sample: structures, what structures are made of, or a batch
 * @throws {TypeError} for an unknown option, and for one of the wrong kind
 * @throws {RangeError} for no systems, option values that cannot be, systems that lack what others have, and
 * atoms more than 1000 Å from the origin without `invariant`
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
 *   ...["positions", "shifts", "energy0", "z", "batch_idx", "edge_index", "energy_target", "atoms"],
 * ]);
 * ```
 */
export function atomsData(systems: Systems, options: AtomsDataOptions): DataSource {
  const list = listOf(systems);
  const batches = planBatches(ACTION, list.length, options, ATOMS_OPTIONS);
  const plan = readAtomsOptions(ACTION, options);
  const atoms: Atoms = {
    systems: list,
    numbers: list.map((system, place) => numbersOf(system, place, plan)),
    edges: kept((place) => edgesOf(list[place]!, plan)),
    targets: targetsOf(ACTION, list, plan),
    names: plan.names,
    isInvariant: plan.isInvariant,
  };
  if (!plan.isInvariant) assertNear(list);
  const { name, tokens } = options;
  const own = new OwnBatches<Uint32Array>();
  const batchOf = (places: Uint32Array): TrainingBatch => {
    const feeds = atomsFeeds(atoms, places);
    own.add(feeds, places);
    return {
      feeds,
      size: places.length,
      tokens: tokens === undefined ? atomsIn(list, places) : tokens(feeds),
    };
  };
  return {
    ...(name !== undefined && { name }),
    length: batches.length,
    batches: (epoch, from) => mapped(batches.places(epoch, from), batchOf),
    split: (batch, parts) => partsOf(list, own.get(batch), parts).map(batchOf),
  };
}

function listOf(systems: Systems): System[] {
  if (systems instanceof Batch) return systems.systems();
  if (systems instanceof System) return [systems];
  if (typeof systems !== "object" || systems === null || !(Symbol.iterator in systems)) {
    throw new TypeError(
      `Cannot ${ACTION} as there must be a list of systems: current value is ${show(systems)}`,
    );
  }
  return Array.from(systems, (system, place) => {
    if (system instanceof System) return system;
    return systemOf(readSystem(system, `${ACTION} (system ${place})`));
  });
}

function numbersOf({ numbers }: System, place: number, { numbers: known }: AtomsPlan): Int32Array {
  if (known === undefined) return numbers;
  return numbers.map((number) => {
    const own = known.get(number);
    if (own !== undefined) return own;
    throw new RangeError(
      `Cannot ${ACTION} as elements must have every element, and has ${
        Array.from(known.keys(), atomicSymbol).join(", ")
      }: system ${place} has ${atomicSymbol(number)}`,
    );
  });
}

/** Throws a RangeError for positions so far from the origin that float32 is inexact there. */
function assertNear(systems: readonly System[]): void {
  for (const [place, { positions }] of systems.entries()) {
    const at = positions.findIndex((x) => Math.abs(x) > TOO_FAR);
    if (at === -1) continue;
    throw new RangeError(
      `Cannot ${ACTION} as atoms must be at most ${TOO_FAR} Å from the origin, where float32 is exact enough: atom ` +
        `${
          Math.floor(at / 3)
        } of system ${place} is not. Wrap or translate the system, or pass invariant: true if ` +
        `a translation changes nothing for the graph`,
    );
  }
}

/** Caches the results of a function by index. */
function kept(find: (place: number) => AtomsEdges): (place: number) => AtomsEdges {
  const found: AtomsEdges[] = [];
  return (place) => found[place] ??= find(place);
}

function atomsIn(systems: readonly System[], places: Uint32Array): number {
  return places.reduce((sum, place) => sum + systems[place]!.nodeCount, 0);
}

/** Neighboring systems in parts with about as many atoms each, and one system at least. */
function partsOf(systems: readonly System[], places: Uint32Array, parts: number): Uint32Array[] {
  const count = boundsOf("split a batch", places.length, parts).length - 1;
  const all = atomsIn(systems, places);
  const result: Uint32Array[] = [];
  let begin = 0, atoms = 0;
  for (let k = 1; k <= count; k++) {
    const last = places.length - (count - k);
    let end = begin + 1;
    atoms += systems[places[begin]!]!.nodeCount;
    // The next one comes along if most of it lies before the end of this part.
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
