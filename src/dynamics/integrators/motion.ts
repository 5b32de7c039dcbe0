/**
 * Kernels of integrators that move atoms, named as in the literature. Each function returns one kernel call.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { drift as driftKernel } from "../../kernels/integrate/drift.ts";
import { kick as kickKernel } from "../../kernels/integrate/kick.ts";
import { kickDrift as kickDriftKernel } from "../../kernels/integrate/kick_drift.ts";
import type { Integrator } from "./integrator.ts";
import { POSITIONS_LOW } from "../engine/state_names.ts";

/** Buffer with the time step, fs, one number per system. */
export type StepTime = Buffer<"real">;

/**
 * Returns the kernel call of B: half a kick, v += ½ dt F/m.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { Dynamics, type Integrator, kick, parameter } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const integrator: Integrator = {
 *   name: "parts",
 *   dt: 2,
 *   open(state) {
 *     const step = parameter(state, "parts", "dt", 2);
 *     return { pre: [kick(state, step)], post: [kick(state, step)] };
 *   },
 * };
 * const pull = potential(({ forces }) => {
 *   forces[0] = 0.5; // eV/Å
 *   return 0;
 * });
 * const batch = Batch.from([{ symbols: ["H"], masses: [1], positions: [0, 0, 0] }]);
 * await using md = new Dynamics(integrator, { model: pull });
 * await md.run(batch, 1);
 * // v = dt F/m, with 1 eV = 103.64 amu Å²/fs² ⁻¹
 * assertAlmostEquals(batch.get("velocities")[0]!, 2 * 0.5 / 103.6427, 1e-6);
 * ```
 */
export function kick(state: ResidentBatch, dt: StepTime): KernelCall {
  return call(kickKernel, { ...kicked(state), dt });
}

/**
 * Returns the kernel call of B and A together: half a kick and a whole drift, v += ½ dt F/m; x += dt v.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { Dynamics, type Integrator, kickDrift, parameter } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const integrator: Integrator = {
 *   name: "parts",
 *   dt: 2,
 *   open(state) {
 *     const step = parameter(state, "parts", "dt", 2);
 *     return { pre: [kickDrift(state, step)], post: [] };
 *   },
 * };
 * const pull = potential(({ forces }) => {
 *   forces[0] = 0.5; // eV/Å
 *   return 0;
 * });
 * const batch = Batch.from([{ symbols: ["H"], masses: [1], positions: [0, 0, 0] }]);
 * await using md = new Dynamics(integrator, { model: pull });
 * await md.run(batch, 1);
 * assertAlmostEquals(batch.get("positions")[0]!, 2 * 0.5 / 103.6427, 1e-6); // dt · ½ dt F/m
 * ```
 */
export function kickDrift(state: ResidentBatch, dt: StepTime): KernelCall {
  const positions = state.field("positions");
  return call(kickDriftKernel, { positions, ...kicked(state), dt, low: lowOf(state) });
}

/**
 * Returns the kernel call of A: a drift over a fraction of the step, x += fraction · dt v.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { drift, Dynamics, type Integrator, parameter } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const integrator: Integrator = {
 *   name: "parts",
 *   dt: 2,
 *   open(state) {
 *     const step = parameter(state, "parts", "dt", 2);
 *     return { pre: [drift(state, step, 0.5)], post: [] }; // half a drift
 *   },
 * };
 * const batch = Batch.from([{ symbols: ["H"], positions: [0, 0, 0], velocities: [0.01, 0, 0] }]);
 * await using md = new Dynamics(integrator, { model: potential(() => 0) });
 * await md.run(batch, 10);
 * assertAlmostEquals(batch.get("positions")[0]!, 0.1, 1e-6); // 0.01 Å/fs · 1 fs, ten times
 * ```
 */
export function drift(state: ResidentBatch, dt: StepTime, fraction: number): KernelCall {
  const [positions, velocities] = [state.field("positions"), state.field("velocities")];
  return call(driftKernel, { positions, velocities, dt, fraction, low: lowOf(state) });
}

/**
 * Returns the buffer with the rounding remainders of the positions. Without them, float32 would not conserve energy
 * as well as float64.
 */
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

/** Returns whether an integrator keeps a center of mass at rest. */
export function keepsCenter({ keepsMomentum }: Integrator): boolean {
  return keepsMomentum === true;
}

/**
 * Returns whether an integrator sets a center of mass in motion, as a Langevin thermostat does. Relaxations do not
 * count, because their steps take no time.
 */
export function isBath(integrator: Integrator): boolean {
  return integrator.dt !== undefined && !keepsCenter(integrator);
}
