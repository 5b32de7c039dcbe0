/**
 * What both kinds of FIRE keep of a batch.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { initialOf, type PerSystem, times } from "../integrators/integrator.ts";

/** The fields that a step changes and looks at, and what it keeps for the next. */
export interface FireState {
  /** Å. */
  readonly positions: Buffer<"real">;
  /** Å/fs. */
  readonly velocities: Buffer<"real">;
  /** eV/Å. */
  readonly forces: Buffer<"real">;
  /** The step, fs. */
  readonly dt: Buffer<"f64">;
  /** How much velocities are turned towards the forces. */
  readonly alpha: Buffer<"f64">;
  /** Steps downhill in a row. */
  readonly positive: Buffer<"i32">;
}

/** Begins with a step (Å·√(amu/eV)) and an α. */
export function fireState(
  state: ResidentBatch,
  engine: string,
  dt: PerSystem,
  alpha: PerSystem,
): FireState {
  const start = (name: string, value: PerSystem) =>
    state.state(name, {
      dtype: "f64",
      level: "system",
      initial: initialOf(engine, name, value, state.batch),
    });
  return {
    positions: state.field("positions"),
    velocities: state.field("velocities"),
    forces: state.field("forces"),
    dt: start("dt", times(dt, TIME_UNIT_FS)),
    alpha: start("alpha", alpha),
    positive: state.state("positive", { dtype: "i32", level: "system" }),
  };
}

/** How fast cells change, in the coordinates of `strain_forces`, Å/fs. */
export function cellVelocities(state: ResidentBatch): Buffer<"real"> {
  return state.state("cellVelocities", { dtype: "real", level: "system", width: 9 });
}
