import type { Batch } from "../../batch/batch.ts";
import { systemName } from "../../batch/store.ts";
import { wholeFrom } from "../../base/check_number.ts";
import { cellVolume } from "../../batch/cell.ts";
import type { DynamicsContext } from "../../dynamics/stages.ts";
import { ObservableHook } from "../observables/observable_hook.ts";
import { ACCELERATION } from "../../kernels/constants.ts";
import { BlockAverage } from "../observables/block_average.ts";
import { checkNumber, checkOptions, type HookTimes, TIMES, timesOf } from "../any/hook_options.ts";
import { ObservedSystems } from "../observables/observed_systems.ts";

/** Options of {@linkcode AverageStressHook}. */
export interface AverageStressHookOptions extends HookTimes {
  /**
   * Initial number of samples in a block. When there are too many blocks, pairs of them are merged, which doubles the
   * block size.
   *
   * @default 10
   */
  readonly blockSize?: number;
  /**
   * Number of steps between two samples.
   *
   * @default 10
   */
  readonly frequency?: number;
}

/** Mean stress of one system. */
export interface AverageStress {
  /** Id of the system. */
  readonly systemId: number;
  /** Mean stress in eV/Å³, nine numbers, tension positive. */
  readonly stress: Float64Array;
  /** Standard error of each number in eV/Å³, from block averages; NaN with fewer than two blocks. */
  readonly stressError: Float64Array;
  /** Mean pressure −tr σ / 3 in eV/Å³; 1 eV/Å³ = 160.21766 GPa. */
  readonly pressure: number;
  /** Standard error of the pressure in eV/Å³; NaN with fewer than two blocks. */
  readonly pressureError: number;
  /** Number of samples. */
  readonly samples: number;
  /** Number of complete blocks. */
  readonly blocks: number;
  /** Number of samples in each block. */
  readonly blockSize: number;
}

const NAME = "AverageStressHook";

/**
 * Averages stress and pressure of each system during a run, with standard errors by block averages, like `compute
 * pressure` and `fix ave/time` of LAMMPS.
 *
 * σ = −(W + Σ m v ⊗ v) / V, p = −tr σ / 3.
 *
 * | symbol | meaning                                     | unit  |
 * | ------ | ------------------------------------------- | ----- |
 * | W      | virial of the forces, −dE/dε                | eV    |
 * | m, v   | mass and velocity of an atom                | amu, Å/fs |
 * | V      | volume of the cell in that step             | Å³    |
 * | σ      | stress, tension positive                    | eV/Å³ |
 *
 * Every system must have a cell with a volume.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { AverageStressHook } from "@hooke/hooke/observe";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]); // 32 atoms …
 * initVelocities(batch, 300, { seed: 1 });
 * const stress = new AverageStressHook();
 * const model = lennardJones({ epsilon: 1e-9, sigma: 3.4, cutoff: 8.5 }); // … of an ideal gas
 * await using md = new NVE({ model, dt: 2, hooks: [stress] });
 * await md.run(batch, 100);
 * const { pressure } = stress.results()[0]!;
 * const kT = 8.617333e-5 * 300;
 * assertAlmostEquals(pressure, 31 * kT / 10.52 ** 3, 1e-8); // the center of mass is at rest
 * ```
 */
export class AverageStressHook extends ObservableHook {
  /** Number of steps between two samples. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly ("stress" | "velocities" | "masses" | "cell" | "systemId")[] = [
    "stress",
    "velocities",
    "masses",
    "cell",
    "systemId",
  ];
  readonly #blockSize: number;
  readonly #systems: ObservedSystems<BlockAverage>;

  /** Creates the hook. */
  constructor(options: AverageStressHookOptions = {}) {
    checkOptions(NAME, options, ["blockSize", ...TIMES]);
    checkNumber(NAME, options, "blockSize", wholeFrom(1));
    const systems = new ObservedSystems(NAME, (saved) => BlockAverage.restore(saved, WIDTH));
    super(systems);
    this.#systems = systems;
    this.frequency = 10;
    Object.assign(this, timesOf(NAME, options));
    this.#blockSize = options.blockSize ?? 10;
  }

  /** Adds a sample of each system. Called by the engine. */
  call(
    { batch, read }: DynamicsContext<
      "stress" | "velocities" | "masses" | "cell" | "systemId"
    >,
  ): void {
    const { size } = batch;
    for (let s = 0; s < size; s++) {
      const make = () => new BlockAverage(WIDTH, this.#blockSize);
      const values = stressOf(read, batch, s);
      this.#systems.of(read.systemId[s]!, make, () => true).add(values);
    }
  }

  /** Returns the averages so far of each system, in the order in which systems were first seen. */
  results(): AverageStress[] {
    return this.#systems.all().map(([systemId, one]) => {
      const { mean, error, samples, blocks, blockSize } = one.result;
      return {
        systemId,
        stress: mean.slice(0, 9),
        stressError: error.slice(0, 9),
        pressure: mean[9]!,
        pressureError: error[9]!,
        samples,
        blocks,
        blockSize,
      };
    });
  }
}

/** Number of averaged values: nine of the stress, and the pressure. */
const WIDTH = 10;

interface Moving {
  readonly stress: ArrayLike<number>;
  readonly velocities: ArrayLike<number>;
  readonly masses: ArrayLike<number>;
  readonly cell: ArrayLike<number>;
}

/** Returns the nine numbers of the stress, including the kinetic part, and the pressure, all in eV/Å³. */
function stressOf(read: Moving, { nodeOffsets, infos }: Batch, system: number): Float64Array {
  const from = nodeOffsets[system]!, to = nodeOffsets[system + 1]!;
  const { stress, velocities, masses, cell } = read;
  const volume = cellVolume(Array.from({ length: 9 }, (_, k) => cell[9 * system + k]!));
  if (volume === 0) {
    throw new Error(
      `Cannot average with ${NAME}: the cell of system ${
        systemName(infos, system)
      } has no volume. Set its cell, or remove the hook`,
    );
  }
  const values = new Float64Array(WIDTH), scale = 1 / (ACCELERATION * volume);
  // Kinetic part −Σ m v ⊗ v / V. Dividing by ACCELERATION converts amu Å²/fs² to eV.
  for (let i = from; i < to; i++) {
    for (let k = 0; k < 9; k++) {
      const a = velocities[3 * i + Math.floor(k / 3)]!, b = velocities[3 * i + k % 3]!;
      values[k]! -= masses[i]! * a * b * scale;
    }
  }
  for (let k = 0; k < 9; k++) values[k]! += stress[9 * system + k]!;
  values[9] = -(values[0]! + values[4]! + values[8]!) / 3;
  return values;
}
