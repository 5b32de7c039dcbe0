/**
 * The parts of integrators that couple systems to a bath, named as in the papers: each is one kernel on a batch.
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

/** A bath of {@linkcode thermalize}. */
export interface Bath {
  /** K, one number per system. */
  readonly temperature: Buffer<"real">;
  /** A whole number from 0 to 2⁵³ − 1. */
  readonly seed: number;
  /** 1/fs, one number per system. */
  readonly friction: Buffer<"real">;
}

/**
 * Returns the call of O: friction and noise over a whole step, v = e^(−γ dt) v + √((1 − e^(−2γ dt)) k_B T/m) ξ; the
 * noise is keyed by seed, system id, step of the system and atom. The energy that it removes is added to
 * {@linkcode bathEnergy}.
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

/** A bath of {@linkcode rescaleVelocities}. */
export interface RescalingBath extends Omit<Bath, "friction"> {
  /** The coupling time, fs, one number per system. */
  readonly time: Buffer<"real">;
}

/**
 * Returns the call of stochastic velocity rescaling over a whole step: v = α v, with a random α for each system that
 * samples the kinetic energy of a bath; keyed by seed, system id and step of the system. For integrators that keep a
 * center of mass at rest.
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

/** Splits a seed into the two words that kernels take. */
function halvesOf(seed: number) {
  return { seedLow: seed % 2 ** 32, seedHigh: Math.floor(seed / 2 ** 32) };
}

/** A chain of thermostats, for {@linkcode noseHooverChain}. */
export interface ChainBath {
  /** K, above 0, one number per system. */
  readonly temperature: Buffer<"real">;
  /** The coupling time, fs, one number per system. */
  readonly time: Buffer<"real">;
  /** The number of links. */
  readonly length: number;
  /** The number of parts into which a half step is divided. */
  readonly parts: 1 | 3 | 5;
  /**
   * The buffer for the energy of the chain, eV per system.
   *
   * @default bathEnergy(state)
   */
  readonly energy?: Buffer<"f64">;
}

/**
 * Returns the call of half a step of a Nosé–Hoover chain on the atoms of each system: v e^x, x from their kinetic
 * energy. It must be the first and the last kernel of a step, in an integrator that keeps a center of mass at rest.
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
