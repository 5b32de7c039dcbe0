/**
 * Kernels of integrators that couple systems to a heat bath, named as in the literature. Each function returns one
 * kernel call.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { noseHoover as noseHooverKernel } from "../../kernels/thermostats/nose_hoover.ts";
import { thermalize as thermalizeKernel } from "../../kernels/thermostats/thermalize.ts";
import { velocityRescale } from "../../kernels/thermostats/velocity_rescale.ts";
import { bathEnergy, freedomOfBath } from "../engine/measures.ts";
import type { StepTime } from "./motion.ts";

/** Parameters of {@linkcode thermalize}. */
export interface Bath {
  /** Temperature, K, one number per system. */
  readonly temperature: Buffer<"real">;
  /** Seed of the noise: a whole number from 0 to 2⁵³ − 1. */
  readonly seed: number;
  /** Friction, 1/fs, one number per system. */
  readonly friction: Buffer<"real">;
}

/**
 * Returns the kernel call of O: friction and noise over a whole step, v = e^(−γ dt) v + √((1 − e^(−2γ dt)) k_B T/m)
 * ξ. The noise is determined by the seed, the system id, the step of the system, and the atom. The energy that the
 * kernel removes is added to {@linkcode bathEnergy}.
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { Dynamics, type Integrator, parameter, thermalize } from "@hooke/hooke/dynamics";
 * import { potential } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const integrator: Integrator = {
 *   name: "parts",
 *   dt: 2,
 *   open(state) {
 *     const [step, temperature, friction] = [["dt", 2], ["temperature", 0], ["friction", 0.05]].map(
 *       ([name, value]) => parameter(state, "parts", name as string, value as number),
 *     );
 *     return { pre: [thermalize(state, step!, { temperature: temperature!, friction: friction!, seed: 1 })], post: [] };
 *   },
 * };
 * const batch = Batch.from([{ symbols: ["H"], positions: [0, 0, 0], velocities: [0.01, 0, 0] }]);
 * await using md = new Dynamics(integrator, { model: potential(() => 0) });
 * await md.run(batch, 10); // at 0 K only friction is left: v e^(−γ t)
 * assertAlmostEquals(batch.get("velocities")[0]!, 0.01 * Math.exp(-0.05 * 20), 1e-7);
 * ```
 */
export function thermalize(state: ResidentBatch, dt: StepTime, bath: Bath): KernelCall {
  const { temperature, friction, seed } = bath;
  return call(thermalizeKernel, {
    velocities: state.field("velocities"),
    weights: state.weights(),
    dt,
    temperature,
    friction,
    bathEnergy: bathEnergy(state),
    ...halvesOf(seed),
  });
}

/** Parameters of {@linkcode rescaleVelocities}. */
export interface RescalingBath extends Omit<Bath, "friction"> {
  /** Coupling time, fs, one number per system. */
  readonly time: Buffer<"real">;
}

/**
 * Returns the kernel call of stochastic velocity rescaling over a whole step: v = α v. The factor α of each system is
 * random and makes its kinetic energy sample the canonical distribution. It is determined by the seed, the system id,
 * and the step of the system. Use it in integrators that keep a center of mass at rest.
 */
export function rescaleVelocities(
  state: ResidentBatch,
  dt: StepTime,
  bath: RescalingBath,
): KernelCall {
  const { temperature, time, seed } = bath;
  return call(velocityRescale, {
    velocities: state.field("velocities"),
    weights: state.weights(),
    dt,
    temperature,
    time,
    freedom: freedomOfBath(state),
    bathEnergy: bathEnergy(state),
    ...halvesOf(seed),
  });
}

/** Splits a seed into its lower and upper 32 bits, which kernels take separately. */
function halvesOf(seed: number) {
  return { seedLow: seed % 2 ** 32, seedHigh: Math.floor(seed / 2 ** 32) };
}

/** Parameters of {@linkcode noseHooverChain}. */
export interface ChainBath {
  /** Temperature, K, above 0, one number per system. */
  readonly temperature: Buffer<"real">;
  /** Coupling time, fs, one number per system. */
  readonly time: Buffer<"real">;
  /** Number of thermostats in the chain. */
  readonly length: number;
  /** Number of substeps into which half a step is divided. */
  readonly parts: 1 | 3 | 5;
  /**
   * Buffer for the energy of the chain, eV, one number per system.
   *
   * @default bathEnergy(state)
   */
  readonly energy?: Buffer<"f64">;
}

/**
 * Returns the kernel call of half a step of a Nosé–Hoover chain on the atoms of each system: v = v e^x, where x
 * follows from their kinetic energy. It must be the first and the last kernel of a step, and the integrator must keep
 * a center of mass at rest.
 */
export function noseHooverChain(state: ResidentBatch, dt: StepTime, bath: ChainBath): KernelCall {
  const { temperature, time, length, parts, energy = bathEnergy(state) } = bath;
  const links = { dtype: "f64", level: "system", width: length } as const;
  return call(noseHooverKernel, {
    velocities: state.field("velocities"),
    weights: state.weights(),
    dt,
    temperature,
    time,
    length,
    parts,
    bathEnergy: energy,
    freedom: freedomOfBath(state),
    eta: state.state("eta", links),
    etaDot: state.state("etaDot", links),
  });
}
