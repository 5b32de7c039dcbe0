/**
 * Batches that are watched for unphysical runs, and samples of them.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { valuesOf } from "../../models/model.ts";
import { BOLTZMANN } from "../../kernels/constants.ts";
import { Control } from "../../kernels/kernel.ts";
import { freedomOf } from "../engine/measures.ts";
import { keepsCenter } from "../integrators/center_motion.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { isFromField, perSystem } from "../integrators/parameters.ts";
import type { BatchRun } from "../step/batch_run.ts";

/** A batch that is watched, and the parameters of its integrator. */
export interface WatchedBatch {
  /** The batch on its device: a stream may put another in its place. */
  readonly run: BatchRun;
  /** The stages of the run: one, unless several are fused. */
  readonly stages: readonly WatchedStage[];
  /** The systems as they were when the run began, once that is known; never in a stream. */
  start: Start | undefined;
  /** Settles when it is known how the systems began. */
  starting: PromiseLike<void> | undefined;
}

/** Systems as they were when the run began. */
export interface Start {
  /** K. */
  readonly temperatures: Float64Array;
  /** Potential energies, eV, if they are known. */
  readonly energies: NumericArray | undefined;
  /** Kinetic energies, eV. */
  readonly kinetic: Float64Array;
}

/** A stage of a run. */
export interface WatchedStage {
  /** Time steps, fs; `undefined` if steps take no time, or come from a field: then systems are not watched. */
  readonly dts: Float64Array | undefined;
  /** Temperatures of the baths, K; `undefined` without baths. */
  readonly baths: Float64Array | undefined;
}

/** The state of a batch at the end of a step. */
export interface Sample {
  /** The step; −1 before the first one. */
  readonly step: number;
  /** True if a kernel has found numbers that are not finite. */
  readonly hasDiverged: boolean;
  /** Velocities of the atoms, Å/fs. */
  readonly velocities: NumericArray;
  /** One over the masses of the atoms; 0 for atoms that do not move. */
  readonly weights: NumericArray;
  /** Potential energies, eV; `undefined` if they are not known. */
  readonly energies: NumericArray | undefined;
  /** The number of the stage that each system is in; `undefined` with a single stage. */
  readonly stages: NumericArray | undefined;
}

/** Returns a batch to be watched; `undefined` if no step takes time. */
export function watchedBatch(run: BatchRun, integrator: Integrator): WatchedBatch | undefined {
  const { size } = run.state.batch;
  const stages = (integrator.stages ?? [integrator]).map(({ name, dt, temperature }) => ({
    dts: dt === undefined || isFromField(dt) ? undefined : perSystem(name, "dt", dt, size),
    baths: temperature === undefined || isFromField(temperature)
      ? undefined
      : perSystem(name, "temperature", temperature, size),
  }));
  if (!stages.some(({ dts }) => dts !== undefined)) return undefined;
  return { run, stages, start: undefined, starting: undefined };
}

/** Returns the buffers of a sample. */
export function buffersOf({ state, stage }: BatchRun): Buffer[] {
  const { frame: { control } } = state;
  const buffers = [control, state.field("velocities"), state.weights(), state.field("energy")];
  return (stage === undefined ? buffers : [...buffers, stage]) as Buffer[];
}

/** Returns the sample in the arrays of its buffers. `hasEnergy`: energies were known when they were read. */
export function sampleOf(
  [control, velocities, weights, energies, stages]: readonly NumericArray[],
  step: number,
  hasEnergy: boolean,
): Sample {
  return {
    step,
    hasDiverged: control![Control.DIVERGED] !== 0,
    velocities: velocities!,
    weights: weights!,
    energies: hasEnergy ? energies! : undefined,
    stages,
  };
}

/** Returns the degrees of freedom of each system, at least 1, as temperatures count them. */
export function freedomIn({ state }: BatchRun, integrator: Integrator): Int32Array {
  return freedomOf(state, keepsCenter(integrator)).map((freedom) => Math.max(1, freedom));
}

/** Returns the kinetic energy of each system, eV. */
export function kineticOf(
  { state: { batch: { nodeOffsets, size } } }: BatchRun,
  { velocities, weights }: Sample,
): Float64Array {
  const kinetic = new Float64Array(size);
  for (let s = 0; s < size; s++) {
    let sum = 0;
    for (let i = 3 * nodeOffsets[s]!; i < 3 * nodeOffsets[s + 1]!; i++) {
      const weight = weights[Math.floor(i / 3)]!;
      if (weight > 0) sum += velocities[i]! * velocities[i]! / weight;
    }
    kinetic[s] = sum / 2;
  }
  return kinetic;
}

/** Returns the temperature for a kinetic energy, K. */
export function temperatureOf(kinetic: number, freedom: number): number {
  return 2 * kinetic / (freedom * BOLTZMANN);
}

/** The longest time step of any system, fs. */
const LONGEST = 10;
/**
 * The longest time step with carbon, fs: 7 fs √(m/12 amu) is 2 fs with hydrogen. Verlet's scheme is unstable beyond 1/π of
 * the shortest period, which is 9 to 11 fs for bonds of hydrogen and 14 fs or more for all others.
 */
const LONGEST_OF_CARBON = 7;

/** The lightest atom of a system, amu, and the longest time step that it allows, fs. */
export interface StepLimit {
  /** amu. */
  readonly mass: number;
  /** fs. */
  readonly longest: number;
}

/** Returns the longest time step of each system. If bonds are held, they do not vibrate, and no mass shortens it. */
export function stepLimits({ state, constraints }: BatchRun): StepLimit[] {
  const { nodeOffsets, size } = state.batch, masses = valuesOf(state, "masses");
  const isHeld = constraints.some(({ name }) => name === "fixBonds");
  return Array.from({ length: size }, (_, s) => {
    let mass = Infinity;
    for (let a = nodeOffsets[s]!; a < nodeOffsets[s + 1]!; a++) {
      if (masses[a]! > 0) mass = Math.min(mass, masses[a]!);
    }
    const longest = isHeld ? LONGEST : Math.min(LONGEST, LONGEST_OF_CARBON * Math.sqrt(mass / 12));
    return { mass, longest };
  });
}
