/**
 * The part that both kinds of FIRE share.
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

/** Arguments of the kernels of both kinds of FIRE. */
export interface FireArguments {
  /** Å. */
  readonly positions: Buffer<"real">;
  /** Å/fs. */
  readonly velocities: Buffer<"real">;
  /** eV/Å. */
  readonly forces: Buffer<"real">;
  /** The step, fs. */
  readonly dt: Buffer<"f64">;
  /** The mixing ratio of velocities and forces. */
  readonly alpha: Buffer<"f64">;
  /** The number of steps downhill in a row. */
  readonly positive: Buffer<"i32">;
  /** Numbers of each system, in the order of the kernel. */
  readonly parameters: Buffer<"f64">;
  /** The strain of the cells, if they relax. */
  readonly cellPositions?: Buffer<"real">;
  /** The rate of that strain, in the coordinates of `strain_forces`, Å/fs. */
  readonly cellVelocities?: Buffer<"real">;
  /** The forces on the cells. */
  readonly cellForces?: Buffer<"real">;
}

/** A kind of FIRE. */
export interface FireVariant {
  /** The name of the engine. */
  readonly name: string;
  /** The names of its options. */
  readonly parameters: readonly string[];
  /** The values of its options. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The step to begin with, Å·√(amu/eV). */
  readonly dt: PerSystem;
  /** The α to begin with. */
  readonly alpha: PerSystem;
  /** Options of the relaxation of cells. */
  readonly cell: boolean | CellOptions;
  /** The parameters of the kernel, in its order. */
  readonly columns: Readonly<Record<string, PerSystem>>;
  /** Returns the call of the kernel. */
  readonly step: (state: ResidentBatch, args: FireArguments) => KernelCall;
}

/** Returns the integrator of a kind of FIRE. Throws if `cell` is wrong. */
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

/** Returns a time in Å·√(amu/eV) in fs. */
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
