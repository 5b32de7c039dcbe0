/**
 * Common code of FIRE and FIRE 2.0.
 *
 * @module
 */

import type { Buffer, KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { initialOf, parameterTable, type PerSystem, times } from "../integrators/parameters.ts";
import { type CellOptions, checkCell } from "./cell_options.ts";
import { openCell, withCell } from "./cell_relaxation.ts";

/** Arguments of the kernels of FIRE and FIRE 2.0. */
export interface FireArguments {
  /** Positions, Å, three per atom. */
  readonly positions: Buffer<"real">;
  /** Velocities, Å/fs, three per atom. */
  readonly velocities: Buffer<"real">;
  /** Forces, eV/Å, three per atom. */
  readonly forces: Buffer<"real">;
  /** Time step of each system, fs. */
  readonly dt: Buffer<"f64">;
  /** Mixing parameter α of each system. */
  readonly alpha: Buffer<"f64">;
  /** Number of consecutive downhill steps of each system. */
  readonly positive: Buffer<"i32">;
  /** Parameters of the kernel, one row per system, in the column order that the kernel defines. */
  readonly parameters: Buffer<"f64">;
  /** Displacements of the cells, nine numbers per system, if the cells relax. */
  readonly cellPositions?: Buffer<"real">;
  /** Velocities of the cells, Å/fs, in the coordinates that the kernel `strain_forces` defines. */
  readonly cellVelocities?: Buffer<"real">;
  /** Forces on the cells. */
  readonly cellForces?: Buffer<"real">;
}

/** A variant of FIRE. */
export interface FireVariant {
  /** Name of the engine. */
  readonly name: string;
  /** Names of the options. */
  readonly parameters: readonly string[];
  /** Values of the options, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Initial time step, Å·√(amu/eV). */
  readonly dt: PerSystem;
  /** Initial value of α. */
  readonly alpha: PerSystem;
  /** The option `cell` as the user passed it. */
  readonly cell: boolean | CellOptions;
  /** Parameters of the kernel by name, in the column order that the kernel defines. */
  readonly columns: Readonly<Record<string, PerSystem>>;
  /** Returns the kernel call of a step. */
  readonly step: (state: ResidentBatch, args: FireArguments) => KernelCall;
}

/** Returns the integrator of a variant of FIRE. Throws a TypeError or RangeError if the option `cell` is invalid. */
export function fireIntegrator(variant: FireVariant): Integrator {
  const { name, parameters, values } = variant;
  const cell = checkCell(name, variant.cell);
  return {
    name,
    parameters,
    values,
    needsStress: cell !== undefined,
    open(state) {
      const cells = cell && openCell(state, name, cell);
      const args: FireArguments = {
        ...stateOf(state, variant),
        parameters: parameterTable(state, name, variant.columns),
        ...cells && { ...cells, cellVelocities: cellVelocities(state) },
      };
      return withCell(variant.step(state, args), cells);
    },
  };
}

/** Converts a time from Å·√(amu/eV) to fs. */
export function inFemtoseconds(time: PerSystem): PerSystem {
  return times(time, TIME_UNIT_FS);
}

function stateOf(state: ResidentBatch, { name, dt, alpha }: FireVariant) {
  const start = (parameter: string, value: PerSystem) =>
    state.state(parameter, {
      dtype: "f64",
      level: "system",
      initial: initialOf(name, parameter, value, state.batch),
    });
  return {
    positions: state.field("positions"),
    velocities: state.field("velocities"),
    forces: state.field("forces"),
    dt: start("dt", inFemtoseconds(dt)),
    alpha: start("alpha", alpha),
    positive: state.state("positive", { dtype: "i32", level: "system" }),
  };
}

function cellVelocities(state: ResidentBatch): Buffer<"real"> {
  return state.state("cellVelocities", { dtype: "real", level: "system", width: 9 });
}
