/**
 * The parts of integrators that move atoms, named as in the papers: each is one kernel on a batch.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { drift as driftKernel } from "../../kernels/integrate/drift.ts";
import { kick as kickKernel } from "../../kernels/integrate/kick.ts";
import { kickDrift as kickDriftKernel } from "../../kernels/integrate/kick_drift.ts";
import { POSITIONS_LOW } from "../engine/state_names.ts";

/** The time of a step, fs, one number per system. */
export type StepTime = Buffer<"real">;

/** B: half a kick, v += ½ dt F/m. */
export function kick(state: ResidentBatch, dt: StepTime): KernelCall {
  return call(kickKernel, { ...kicked(state), dt });
}

/** B and A in one: half a kick and a whole drift, v += ½ dt F/m; x += dt v. */
export function kickDrift(state: ResidentBatch, dt: StepTime): KernelCall {
  const positions = state.field("positions");
  return call(kickDriftKernel, { positions, ...kicked(state), dt, low: lowOf(state) });
}

/** A: a drift over a fraction of the step, x += fraction · dt v. */
export function drift(state: ResidentBatch, dt: StepTime, fraction: number): KernelCall {
  const [positions, velocities] = [state.field("positions"), state.field("velocities")];
  return call(driftKernel, { positions, velocities, dt, fraction, low: lowOf(state) });
}

/** The digits of the positions that they have no room for, without which f32 would not conserve energy as f64 does. */
export function lowOf(state: ResidentBatch): Buffer<"real"> {
  return state.state(POSITIONS_LOW, { dtype: "real", level: "node", width: 3, isShared: true });
}

function kicked(state: ResidentBatch) {
  return {
    velocities: state.field("velocities"),
    forces: state.field("forces"),
    weights: state.weights(),
  };
}
