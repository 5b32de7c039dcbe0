/**
 * Batches of structures that are loaded when they are needed.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { System } from "../../batch/system.ts";
import type { SystemInput } from "../../batch/system_input.ts";
import { readStructure } from "../../models/onnx/structures/structure.ts";
import { atomsSource } from "./atoms_data.ts";
import {
  ATOMS_OPTIONS,
  type AtomsDataOptions,
  type AtomsPlan,
  readAtomsOptions,
} from "./atoms_options.ts";
import { planBatches } from "./batch_plan.ts";
import { ahead, checkDataset, checkPrefetch, type Dataset } from "./data_loader.ts";
import { checkPlace, type DataSource, type TrainingBatch } from "./data_source.ts";
import { OwnBatches } from "./own_batches.ts";

/** Options of {@linkcode atomsLoader}. */
export interface AtomsLoaderOptions
  extends Omit<AtomsDataOptions, "batchSize" | "dropLast" | "replay"> {
  /**
   * Maximum number of systems per batch.
   *
   * @default no limit; `maxAtoms` or `maxEdges` is then required
   */
  readonly batchSize?: number;
  /**
   * Maximum number of atoms per batch.
   *
   * @default Infinity
   */
  readonly maxAtoms?: number;
  /**
   * Maximum number of edges per batch.
   *
   * @default Infinity
   */
  readonly maxEdges?: number;
  /**
   * Number of batches to load ahead. The order of the batches does not depend on it.
   *
   * @default 2
   */
  readonly prefetch?: number;
}

const ACTION = "load data of atoms";
const OWN = ["maxAtoms", "maxEdges", "prefetch"];

/**
 * Returns batches of structures that are loaded when they are needed, from a file that `openSystems` has opened or
 * from a list. Batches have the same form as those of `atomsData`. Each batch takes systems in the order of the epoch
 * as long as they fit the limits, so an epoch that is resumed anywhere continues with the same batches.
 *
 * @param dataset the systems, or descriptions of systems
 * @throws {TypeError} if `dataset` is not a dataset, or if an option is unknown or of the wrong type
 * @throws {RangeError} if there are no systems, or if the value of an option is invalid. Reading a batch throws one
 * if a single system exceeds a limit
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { openSink, openSystems } from "@hooke/hooke/sinks";
 * import { atomsLoader, splitDataset } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/chains.zarr`;
 * const sink = await openSink(path);
 * for (const atoms of [2, 4, 3, 5, 1, 6]) {
 *   const positions = Array.from({ length: atoms }, (_, i) => [3.8 * i, 0, 0]);
 *   await sink.write(Batch.from([{ symbols: Array(atoms).fill("Ar"), positions }]));
 * }
 * await sink.close();
 *
 * await using chains = await openSystems(path);
 * const [train] = splitDataset(chains, [1], 7);
 * const loader = atomsLoader(train!, { cutoff: 5, maxAtoms: 8, shuffle: false });
 * const batches = await Array.fromAsync(loader.batches(0, 0));
 * assertEquals(batches.map(({ size, tokens }) => [size, tokens]), [[2, 6], [2, 8], [2, 7]]);
 * ```
 */
export function atomsLoader(
  dataset: Dataset<System | SystemInput>,
  options: AtomsLoaderOptions,
): DataSource {
  checkDataset(ACTION, dataset);
  const { maxAtoms = Infinity, maxEdges = Infinity, prefetch = 2, ...rest } = options;
  const { batchSize = dataset.length } = options, isSized = options.batchSize !== undefined;
  checkLimits({ batchSize: options.batchSize, maxAtoms, maxEdges });
  const known = [...ATOMS_OPTIONS, ...OWN];
  const plan = planBatches(ACTION, dataset.length, { ...options, batchSize }, known);
  checkPrefetch(ACTION, prefetch);
  const got = new SystemReader(dataset, {
    plan: readAtomsOptions(ACTION, { ...rest, batchSize }),
    countsEdges: maxEdges !== Infinity, // counting needs a neighbor search for each system
  });
  const own = new OwnBatches<DataSource>();
  const read = (places: readonly number[], epoch: number) =>
    readBatch(got, places, epoch, { ...rest, shuffle: false }, own);
  const isPlain = maxAtoms === Infinity && maxEdges === Infinity;
  return {
    ...(options.name !== undefined && { name: options.name }),
    length: isPlain && isSized ? plan.length : undefined,
    batches(epoch, from) {
      checkPlace(epoch, from);
      const order = Array.from(plan.places(epoch, 0), (places) => Array.from(places)).flat();
      const groups = isPlain
        ? Array.from(plan.places(epoch, from), (places) => Array.from(places))
        : fitting(order, got, { batchSize, maxAtoms, maxEdges, epoch, from });
      return ahead(groups, (places) => read(places, epoch), prefetch);
    },
    split: (batch, parts) => own.get(batch).split!(batch, parts),
  };
}

/** Reads systems, and returns them as one batch. */
async function readBatch(
  reader: SystemReader,
  places: readonly number[],
  epoch: number,
  options: Omit<AtomsDataOptions, "batchSize">,
  own: OwnBatches<DataSource>,
): Promise<TrainingBatch> {
  const systems = await Promise.all(places.map((place) => reader.system(place, epoch)));
  const source = atomsSource(systems, { ...options, batchSize: systems.length }, false);
  for await (const batch of source.batches(0, 0)) {
    own.add(batch.feeds, source);
    return batch;
  }
  throw new Error(`Cannot ${ACTION}: a batch must have at least one system; got 0`);
}

/**
 * Yields the groups of systems of an epoch that make up its batches, beginning with group `from`. Systems are taken
 * in order as long as they fit the limits.
 */
async function* fitting(
  order: readonly number[],
  got: SystemReader,
  { batchSize, maxAtoms, maxEdges, epoch, from }: Limits & {
    readonly epoch: number;
    readonly from: number;
  },
): AsyncGenerator<number[], void, undefined> {
  let group: number[] = [], atoms = 0, edges = 0, before = from;
  for (const place of order) {
    const size = await got.size(place, epoch);
    assertFits(place, size, { maxAtoms, maxEdges });
    const isFull = group.length === batchSize || atoms + size.atoms > maxAtoms ||
      edges + size.edges > maxEdges;
    if (isFull) {
      if (before-- <= 0) yield group;
      [group, atoms, edges] = [[], 0, 0];
    }
    group.push(place);
    atoms += size.atoms;
    edges += size.edges;
  }
  if (before <= 0) yield group;
}

/** Size limits of a batch. */
interface Limits {
  readonly batchSize: number;
  readonly maxAtoms: number;
  readonly maxEdges: number;
}

/** Size of a system. */
interface Size {
  readonly atoms: number;
  readonly edges: number;
}

/** Reads systems of a dataset, and caches their sizes by index. */
class SystemReader {
  readonly #dataset: Dataset<System | SystemInput>;
  readonly #plan: AtomsPlan;
  readonly #countsEdges: boolean;
  readonly #sizes = new Map<number, Size>();

  constructor(
    dataset: Dataset<System | SystemInput>,
    { plan, countsEdges }: { readonly plan: AtomsPlan; readonly countsEdges: boolean },
  ) {
    this.#dataset = dataset;
    this.#plan = plan;
    this.#countsEdges = countsEdges;
  }

  async system(place: number, epoch: number): Promise<System> {
    const dataset = this.#dataset;
    const system = "get" in dataset ? await dataset.get(place, epoch) : dataset[place]!;
    return system instanceof System ? system : new System(system);
  }

  async size(place: number, epoch: number): Promise<Size> {
    const known = this.#sizes.get(place);
    if (known !== undefined) return known;
    const system = await this.system(place, epoch);
    const edges = this.#countsEdges ? edgesIn(this.#plan, system) : 0;
    const size = { atoms: system.nodeCount, edges };
    this.#sizes.set(place, size);
    return size;
  }
}

function edgesIn({ model }: AtomsPlan, system: System): number {
  return readStructure(model, system).arrays.lists?.counts[0] ?? 0;
}

function assertFits(
  place: number,
  { atoms, edges }: Size,
  { maxAtoms, maxEdges }: Omit<Limits, "batchSize">,
): void {
  if (atoms <= maxAtoms && edges <= maxEdges) return;
  const [what, count, most] = atoms > maxAtoms
    ? ["atoms (maxAtoms)", atoms, maxAtoms]
    : ["edges (maxEdges)", edges, maxEdges];
  throw new RangeError(
    `Cannot ${ACTION}: each system must have at most ${most} ${what}; got ${count} in system ${place}`,
  );
}

function checkLimits(limits: Readonly<Record<string, number | undefined>>): void {
  const isGiven = Object.values(limits).some((limit) => limit !== undefined && limit !== Infinity);
  if (!isGiven) {
    throw new TypeError(
      `Cannot ${ACTION}: a limit is required: pass at least one of ${
        Object.keys(limits).join(", ")
      }`,
    );
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || limit === Infinity) continue;
    if (Number.isSafeInteger(limit) && limit > 0) continue;
    throw new (typeof limit === "number" ? RangeError : TypeError)(
      `Cannot ${ACTION}: ${name} must be a positive integer; got ${show(limit)}`,
    );
  }
}
