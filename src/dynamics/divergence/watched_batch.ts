/**
 * Data for the detection of unphysical runs, and samples of a batch.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { valuesOf } from "../../models/model.ts";
import { BOLTZMANN } from "../../kernels/constants.ts";
import { Control } from "../../kernels/kernel.ts";
import { freedomOf } from "../engine/measures.ts";
import { keepsCenter } from "../integrators/motion.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { isFromField, perSystem } from "../integrators/parameters.ts";
import type { BatchRun } from "../step/batch_run.ts";

/** A batch that is sampled, and the parameters of its integrator. */
export interface WatchedBatch {
  /** The batch on its device. A stream may replace it by another one. */
  readonly run: BatchRun;
  /** The stages of the run. There is one, unless several are fused. */
  readonly stages: readonly WatchedStage[];
  /** State of the systems when the run began; `undefined` until it has arrived, and always in a stream. */
  start: Start | undefined;
  /** Settles when `start` has arrived from a device. */
  starting: PromiseLike<void> | undefined;
}

/** State of the systems when the run began. */
export interface Start {
  /** Temperature of each system, K. */
  readonly temperatures: Float64Array;
  /** Potential energy of each system, eV; `undefined` if they are not known. */
  readonly energies: NumericArray | undefined;
  /** Kinetic energy of each system, eV. */
  readonly kinetic: Float64Array;
}

/** Parameters of a stage of a run. */
export interface WatchedStage {
  /**
   * Time step of each system, fs. If steps take no time, or the time steps come from a field, it is `undefined` and
   * systems in this stage are not checked.
   */
  readonly dts: Float64Array | undefined;
  /**
   * Temperature of the thermostat of each system, K; `undefined` if there is no thermostat, or the temperatures come
   * from a field.
   */
  readonly baths: Float64Array | undefined;
}

/** State of a batch at the end of a step. */
export interface Sample {
  /** Number of the step, from 0; −1 before the first step. */
  readonly step: number;
  /** True if a kernel has found numbers that are not finite. */
  readonly hasDiverged: boolean;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities: NumericArray;
  /** ACCELERATION / mass of each atom, Å/fs² per eV/Å; 0 for atoms that do not move. */
  readonly weights: NumericArray;
  /** Potential energy of each system, eV; `undefined` if they are not known. */
  readonly energies: NumericArray | undefined;
  /** Index of the stage of each system; `undefined` if there is only one stage. */
  readonly stages: NumericArray | undefined;
}

/** Returns the data of a batch for the detector; `undefined` if no step takes time. */
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

/** Returns the buffers from which a sample is read, in the order that `sampleOf` expects. */
export function buffersOf({ state, stage }: BatchRun): Buffer[] {
  const { frame: { control } } = state;
  const buffers = [control, state.field("velocities"), state.weights(), state.field("energy")];
  return (stage === undefined ? buffers : [...buffers, stage]) as Buffer[];
}

/**
 * Returns a sample from the arrays of its buffers. `hasEnergy` is true if the energies were known when the buffers
 * were read.
 */
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

/** Returns the degrees of freedom of each system that its temperature refers to, at least 1. */
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

/** Returns the temperature, K, for a kinetic energy (eV) and a number of degrees of freedom. */
export function temperatureOf(kinetic: number, freedom: number): number {
  return 2 * kinetic / (freedom * BOLTZMANN);
}

/** Longest time step for any system, fs. */
const LONGEST = 10;
/**
 * Longest time step for a system whose lightest atom is carbon, fs. With hydrogen it is 2 fs: 7 fs √(m/12 amu). The
 * Verlet scheme is unstable above 1/π of the shortest period, which is 9 to 11 fs for bonds of hydrogen and 14 fs or
 * more for others.
 */
const LONGEST_OF_CARBON = 7;

/** Longest time step for a system, and the lightest atom, which determines it. */
export interface StepLimit {
  /** Mass of the lightest atom, amu. */
  readonly mass: number;
  /** Longest time step, fs. */
  readonly longest: number;
}

/**
 * Returns the longest time step for each system. If bonds are fixed they do not vibrate, so it does not depend on the
 * mass.
 */
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
