import { systemName } from "../../batch/store.ts";
import { wholeFrom } from "../../base/check_number.ts";
import { NeighborList } from "../../batch/neighbors/neighbor_list.ts";
import type { DynamicsContext } from "../../dynamics/stages.ts";
import { ObservableHook } from "./observable_hook.ts";
import { type ElementName, numberOf } from "../atoms/element_choice.ts";
import {
  checkNumber,
  checkOptions,
  checkRequired,
  checkType,
  type HookTimes,
  TIMES,
  timesOf,
} from "../any/hook_options.ts";
import { ObservedSystems } from "./observed_systems.ts";
import { type PairChoice, PairHistogram } from "./pair_histogram.ts";

/** Options of {@linkcode RadialDistributionHook}. */
export interface RadialDistributionHookOptions extends HookTimes {
  /** Cutoff radius, Å. It may exceed the size of the cell: images of atoms are counted. */
  readonly cutoff: number;
  /**
   * Number of bins of equal width up to the cutoff.
   *
   * @default 100
   */
  readonly bins?: number;
  /**
   * Elements of the pairs: first that of the central atoms, then that of their neighbors.
   *
   * @default pairs of all atoms
   */
  readonly elements?: readonly [ElementName, ElementName];
  /**
   * Number of steps between two samples.
   *
   * @default 10
   */
  readonly frequency?: number;
}

/** Radial distribution of one system. */
export interface RadialDistribution {
  /** Id of the system. */
  readonly systemId: number;
  /** Centers of the bins, Å. */
  readonly r: Float64Array;
  /** Radial distribution g(r), which is 1 for an ideal gas. */
  readonly g: Float64Array;
  /** Number of neighbors of an atom up to the end of each bin. */
  readonly coordination: Float64Array;
  /** Number of samples. */
  readonly samples: number;
}

const NAME = "RadialDistributionHook";
const OPTIONS = ["cutoff", "bins", "elements", ...TIMES];

/**
 * Computes the radial distribution function of each system during a run, like `compute rdf` of LAMMPS.
 *
 * g(r) = n(r) V / (N 4/3 π ((r + Δ/2)³ − (r − Δ/2)³)), a mean over samples.
 *
 * | symbol | meaning                                                    | unit |
 * | ------ | ---------------------------------------------------------- | ---- |
 * | n(r)   | neighbors of an atom in the bin around r, all images      |      |
 * | N      | atoms that may be neighbors, including the atom itself    |      |
 * | V      | volume of the cell in that step                            | Å³   |
 * | Δ      | width of a bin                                             | Å    |
 *
 * Systems must be periodic in all three directions, because g(r) is relative to the mean density.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { RadialDistributionHook } from "@hooke/hooke/observe";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 5, { seed: 1 });
 * const rdf = new RadialDistributionHook({ cutoff: 6, bins: 60 });
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 4,
 *   hooks: [rdf],
 * });
 * await md.run(batch, 200);
 * const { r, g, coordination } = rdf.results()[0]!;
 * assertAlmostEquals(r[g.indexOf(Math.max(...g))]!, 5.26 / Math.SQRT2, 0.06); // nearest neighbors
 * assertAlmostEquals(coordination[44]!, 12, 1e-9); // of which there are twelve
 * ```
 */
export class RadialDistributionHook extends ObservableHook {
  /** Number of steps between two samples. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ("positions" | "images" | "cell" | "pbc" | "systemId" | "numbers")[];
  readonly #choice: PairChoice;
  readonly #list: NeighborList;
  readonly #systems: ObservedSystems<PairHistogram>;

  /** Creates the hook. */
  constructor(options: RadialDistributionHookOptions) {
    checkOptions(NAME, options, OPTIONS);
    checkRequired(NAME, options, "cutoff", "a distance in Å");
    const isLength = (x: number) => x > 0 && x < Infinity;
    checkNumber(NAME, options, "cutoff", { requirement: "a distance above 0", holds: isLength });
    checkNumber(NAME, options, "bins", wholeFrom(1));
    const isPair = (x: unknown) => Array.isArray(x) && x.length === 2;
    checkType(NAME, options, "elements", "two elements", isPair);
    const { cutoff, bins = 100, elements } = options;
    const [a, b] = elements ?? [];
    const numbers = elements && [numberOf(NAME, a, "elements"), numberOf(NAME, b, "elements")];
    const choice = { cutoff, bins, elements: numbers as [number, number] };
    const systems = new ObservedSystems(NAME, (saved) => PairHistogram.restore(saved, choice));
    super(systems);
    this.#systems = systems;
    this.#choice = choice;
    this.frequency = 10;
    Object.assign(this, timesOf(NAME, options));
    this.reads = elements === undefined ? SEEN : [...SEEN, "numbers"];
    this.#list = new NeighborList({ cutoff, half: true, skin: SKIN });
  }

  /** Counts the pairs of a step. Called by the engine. */
  call(
    { batch: { size, nodeOffsets, infos }, read }: DynamicsContext<
      "positions" | "images" | "cell" | "pbc" | "systemId" | "numbers"
    >,
  ): void {
    const systemId = Int32Array.from(read.systemId), pbc = Int32Array.from(read.pbc);
    const numbers = this.#choice.elements === undefined ? undefined : read.numbers;
    const open = pbc.indexOf(0);
    if (open !== -1) throw openError(systemName(infos, Math.floor(open / 3)));
    // Neighbor lists take typed arrays, and keep them longer than the views of a step are valid.
    const [positions, cell] = [new Float64Array(read.positions), new Float64Array(read.cell)];
    const images = Int32Array.from(read.images);
    const pairs = this.#list.update({ nodeOffsets, positions, cell, pbc, images, systemId });
    for (let system = 0; system < size; system++) {
      const make = () => new PairHistogram(this.#choice);
      const one = this.#systems.of(systemId[system]!, make, () => true);
      one.add({ system, nodeOffsets, positions, cell, numbers, pairs });
    }
  }

  /** Returns the results so far of each system, in the order in which systems were first seen. */
  results(): RadialDistribution[] {
    const { bins, cutoff } = this.#choice;
    return this.#systems.all().map(([systemId, one]) => ({
      systemId,
      r: Float64Array.from({ length: bins }, (_, bin) => (bin + 0.5) * cutoff / bins),
      ...one.result,
    }));
  }
}

/**
 * Verlet skin, Å: pairs are searched again when an atom has moved by half of it. It is wide because atoms move far
 * between two samples.
 */
const SKIN = 1;

const SEEN = ["positions", "images", "cell", "pbc", "systemId"] as const;

function openError(system: string): Error {
  return new Error(
    `Cannot count pairs with ${NAME}: system ${system} is not periodic along a, b and c, so it has no density`,
  );
}
