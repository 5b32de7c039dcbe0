/**
 * Measures: a few numbers per system that are computed on the device, such as the temperature.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { conservedEnergy } from "../../kernels/measure/conserved_energy.ts";
import { energyChange } from "../../kernels/measure/energy_change.ts";
import { fmax } from "../../kernels/measure/fmax.ts";
import { kineticEnergy } from "../../kernels/measure/kinetic_energy.ts";
import { stress } from "../../kernels/measure/stress.ts";
import { temperature } from "../../kernels/measure/temperature.ts";
import { outputsOf } from "../../models/model.ts";
import { placeOf } from "../stages/stage_place.ts";
import { cellForcesOf } from "./cell_forces.ts";

/** A measure on a batch: its buffer, and the kernels that compute it. */
export interface Measure {
  /** Buffer with the values, one or more numbers per system. */
  readonly buffer: Buffer<"f64">;
  /** Kernels that must run before the buffer is read. */
  readonly calls: readonly KernelCall[];
}

/** Functions that create measures, by the name of the measured field. The measures may be computed at any stage. */
const MEASURES: Readonly<
  Record<string, (state: ResidentBatch, keepsMomentum: boolean) => Measure>
> = {
  fmax(state) {
    const buffer = perSystem(state, "fmax");
    const cell = cellForcesOf(state);
    const args = { forces: state.field("forces"), fmax: buffer, ...cell?.args };
    return { buffer, calls: [...cell?.calls ?? [], call(fmax, args)] };
  },
  kineticEnergy: measureKinetic,
  temperature(state, keepsMomentum) {
    const kinetic = measureKinetic(state);
    const buffer = perSystem(state, "temperature");
    const freedom = freedomIn(state, keepsMomentum), stages = restingStages.get(state);
    const measure = call(temperature, {
      kinetic: kinetic.buffer,
      freedom,
      temperature: buffer,
      ...stages && { ...stages, resting: freedomIn(state, true) },
    });
    return { buffer, calls: [...kinetic.calls, measure] };
  },
  conservedEnergy(state) {
    const kinetic = measureKinetic(state);
    const conserved = perSystem(state, "conservedEnergy");
    const sum = call(conservedEnergy, {
      energy: outputsOf(state).energy,
      kinetic: kinetic.buffer,
      bathEnergy: bathEnergy(state),
      conserved,
    });
    return { buffer: conserved, calls: [...kinetic.calls, sum] };
  },
  stress(state) {
    const buffer = state.field<"f64">("stress");
    const { virial } = outputsOf(state);
    return { buffer, calls: [call(stress, { virial, cell: state.field("cell"), stress: buffer })] };
  },
};

/** Names of the measured fields, except the energy change. */
export const MEASURED: readonly string[] = Object.keys(MEASURES);

/** Returns whether kernels must compute a field before it is read: it has a measure, or is the energy change. */
export function isMeasured(field: string): boolean {
  return field === CHANGE || Object.hasOwn(MEASURES, field);
}

/**
 * Name of the conserved quantity of an integrator. It depends on the potential energy, and cannot be a convergence
 * criterion.
 */
export const CONSERVED = "conservedEnergy";

/** Returns the buffer of a measured field. It has the values of the last measurement. */
export function measuredIn(state: ResidentBatch, field: string): Buffer<"f64"> {
  return field === "stress" ? state.field("stress") : perSystem(state, field);
}

/**
 * Returns the measure of a field. Returns `undefined` if the field is not measured, and for the energy change, which
 * is measured once in each step.
 */
export function measureOf(
  state: ResidentBatch,
  field: string,
  keepsMomentum: boolean,
): Measure | undefined {
  return Object.hasOwn(MEASURES, field) ? MEASURES[field]!(state, keepsMomentum) : undefined;
}

/** Name of the field with the change of the energy, which is measured once in each step. */
export const CHANGE = "energyChange";

/**
 * Returns the buffer with the energy of thermostats and barostats, eV, one number per system, at the end of a step.
 * The sum of this energy, the potential and the kinetic energy is the conserved quantity of the integrator.
 * Thermostats and barostats write it; without them it is 0. Checkpoints contain it.
 *
 * @example
 * ```ts
 * import { Batch, ResidentBatch } from "@hooke/hooke/batch";
 * import { openBackend } from "@hooke/hooke/backend";
 * import { bathEnergy } from "@hooke/hooke/dynamics";
 * import { assertEquals } from "@std/assert";
 *
 * const backend = openBackend("reference");
 * const state = new ResidentBatch(Batch.from([{ symbols: ["H"], positions: [0, 0, 0] }]), backend);
 * assertEquals([...state.view(bathEnergy(state))], [0]); // no bath has run yet
 * ```
 */
export function bathEnergy(state: ResidentBatch): Buffer<"f64"> {
  return state.state("bathEnergy", { dtype: "f64", level: "system", isShared: true });
}

/**
 * Returns the measure of the change of the energy from step to step. Its kernels must run exactly once in each step,
 * after the energy is computed.
 */
export function measureChange(state: ResidentBatch): Measure {
  const buffer = perSystem(state, "energyChange");
  const previous = state.state("previousEnergy", { dtype: "f64", level: "system", initial: NaN });
  const { energy } = outputsOf(state);
  return { buffer, calls: [call(energyChange, { energy, previous, change: buffer })] };
}

function measureKinetic(state: ResidentBatch): Measure {
  const buffer = perSystem(state, "kineticEnergy");
  const args = { velocities: state.field("velocities"), weights: state.weights() };
  return { buffer, calls: [call(kineticEnergy, { ...args, kinetic: buffer })] };
}

function perSystem(state: ResidentBatch, name: string): Buffer<"f64"> {
  return state.scratch(name, { dtype: "f64", level: "system", initial: NaN });
}

/** Buffers from which kernels see whether a system is in a stage that keeps a center of mass at rest. */
interface RestingStages {
  /** Index of the stage of each system. */
  readonly stage: Buffer<"i32">;
  /** One number per stage: 1 if a center of mass at rest stays at rest in it, otherwise 0. */
  readonly keeps: Buffer<"i32">;
}

const restingStages = new WeakMap<ResidentBatch, RestingStages>();

/**
 * Returns whether a system has left behind all stages whose thermostat moves the center of mass, without being moved
 * by one.
 */
export type IsSpared = (system: number) => boolean;

const spared = new WeakMap<ResidentBatch, IsSpared>();

/** Sets the stages of a batch. Temperatures then count the degrees of freedom of each system in its current stage. */
export function noteStages(
  state: ResidentBatch,
  stages: RestingStages,
  isSpared: IsSpared,
): void {
  restingStages.set(state, stages);
  spared.set(state, isSpared);
}

/**
 * Buffers with the degrees of freedom of each system, by batch: the first for integrators that move the center of
 * mass, the second for those that keep it at rest.
 */
const freedoms = new WeakMap<ResidentBatch, [Buffer<"i32">?, Buffer<"i32">?]>();

/**
 * Returns the buffer with the degrees of freedom of each system, for kernels. {@linkcode countFreedom} updates it
 * when the constraints of the engine or of hooks change.
 */
function freedomIn(state: ResidentBatch, keepsMomentum: boolean): Buffer<"i32"> {
  const known = freedoms.get(state) ?? [];
  freedoms.set(state, known);
  return known[Number(keepsMomentum)] ??= state.constants(
    "i32",
    freedomOf(state, keepsMomentum),
    "system",
  );
}

/**
 * Returns the buffer with the number of degrees of freedom of each system that a momentum-conserving thermostat
 * heats. Such a thermostat keeps a center of mass at rest. If an earlier stage has set the center of mass in motion,
 * its degrees of freedom count.
 */
export function freedomOfBath(state: ResidentBatch): Buffer<"i32"> {
  return freedomIn(state, placeOf(state)?.isStirred !== true);
}

/** Updates the existing buffers of degrees of freedom after a change of the constraints. */
export function countFreedom(state: ResidentBatch): void {
  for (const [keeps, buffer] of (freedoms.get(state) ?? []).entries()) {
    if (buffer !== undefined) state.backend.write(buffer, freedomOf(state, keeps === 1));
  }
}

/**
 * Returns the degrees of freedom of each system: 3 per atom, minus the constrained ones, minus those of a center of
 * mass that was brought to rest and stays at rest.
 */
export function freedomOf(state: ResidentBatch, keepsMomentum: boolean): Int32Array {
  const { batch: { nodeOffsets, size }, batch, constrained, anchored } = state;
  const isSpared = spared.get(state);
  const removed = batch.has("dofRemoved") ? batch.get("dofRemoved") : new Int32Array(size);
  return constrained.map((held, system) => {
    const all = 3 * (nodeOffsets[system + 1]! - nodeOffsets[system]!);
    const isKept = keepsMomentum || isSpared?.(system) === true;
    const resting = isKept ? restingOf(removed[system]!, anchored[system]!) : 0;
    return Math.max(0, all - held - resting);
  });
}

/**
 * Returns the number of motions that were removed from the velocities and that no constraint counts: up to three of
 * the center of mass, and rotations if no direction is fixed.
 */
function restingOf(removed: number, anchored: number): number {
  const fixed = (anchored & 1) + (anchored >> 1 & 1) + (anchored >> 2 & 1);
  const drifting = (anchored & 8) === 0 ? Math.max(0, Math.min(removed, 3) - fixed) : 0;
  return drifting + (fixed === 0 ? Math.max(0, removed - 3) : 0);
}
