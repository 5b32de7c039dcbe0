/**
 * Random velocities for a temperature.
 *
 * @module
 */

import { ACCELERATION, BOLTZMANN } from "../kernels/constants.ts";
import { gaussians, philox, Stream } from "../kernels/philox.ts";
import type { Batch } from "./batch.ts";
import { checkOptions } from "../base/check_options.ts";
import { type Body, stopDrift, stopRotation } from "./rigid.ts";
import { seedWords } from "./seed.ts";
import { perSystem } from "./temperature.ts";

/** Options of `initVelocities`. */
export interface VelocityOptions {
  /** Seed of the random numbers, a whole number 0 … 2⁵³ − 1. Equal seeds give equal velocities. @default 0 */
  readonly seed?: number;
  /** True to set the velocity of the center of mass to zero. @default true */
  readonly removeCom?: boolean;
  /** True to remove the rotation of each system as a whole. Not allowed for periodic systems. @default false */
  readonly removeRotation?: boolean;
  /**
   * True to scale the velocities so that each system has exactly the given temperature, not only on
   * average. @default true
   */
  readonly rescale?: boolean;
}

/**
 * Draws the velocities of all atoms from the Maxwell–Boltzmann distribution, and sets them. They depend on the seed,
 * the id of the system, the atom and the options. A system therefore gets the same velocities alone or in any batch.
 *
 * The temperature refers to the remaining degrees of freedom: 3 per atom, minus 3 for a resting center of mass, minus
 * 3 (2 for a linear molecule) for a removed rotation. The field `dofRemoved` is set to the number of removed ones, so
 * that {@linkcode temperatureOf} agrees. In a system without degrees of freedom, such as one atom at rest, all
 * velocities are 0.
 *
 * @param temperature temperature, K: one number for all systems, or one per system
 * @throws {RangeError} if a temperature is negative, the number of temperatures differs from the
 * number of systems, or the seed is invalid
 * @throws {TypeError} if `removeRotation` is true for a periodic system, whose images would not rotate with it
 * @throws {Error} if an engine holds the velocities
 *
 * @example
 *
 * ```ts
 * import { Batch, fcc, initVelocities, temperatureOf } from "@hooke/hooke/batch";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 80, { seed: 1 });
 * assertAlmostEquals(temperatureOf(batch)[0]!, 80, 1e-9);
 * ```
 */
export function initVelocities(
  batch: Batch,
  temperature: number | ArrayLike<number>,
  options: VelocityOptions = {},
): void {
  const action = "draw velocities";
  checkOptions(action, options, ["seed", "removeCom", "removeRotation", "rescale"]);
  const { seed = 0, removeCom = true, removeRotation = false, rescale = true } = options;
  const temperatures = perSystem(temperature, batch.size, action, "the temperature");
  const key = seedWords(seed, action);
  if (removeRotation) checkTurns(batch, action);
  const velocities = new Float64Array(3 * batch.nodeCount);
  const dofRemoved = new Int32Array(batch.size);
  for (let system = 0; system < batch.size; system++) {
    const body = bodyOf(batch, system, velocities);
    draw(body, temperatures[system]!, batch.get("systemId")[system]!, key);
    if (removeCom) stopDrift(body);
    const axes = removeRotation ? stopRotation(body) : 0;
    dofRemoved[system] = (removeCom ? 3 : 0) + axes;
    const dof = 3 * body.masses.length - dofRemoved[system]!;
    // Without degrees of freedom, the remaining velocities are rounding errors.
    if (dof === 0) body.velocities.fill(0);
    else if (rescale) scaleTo(body, temperatures[system]!, dof);
  }
  batch.set("velocities", velocities);
  batch.set("dofRemoved", dofRemoved);
}

function checkTurns(batch: Batch, action: string): void {
  const at = batch.get("pbc").indexOf(1);
  if (at === -1) return;
  throw new TypeError(
    `Cannot ${action}: removeRotation must be false for periodic systems; system ${
      Math.floor(at / 3)
    } is periodic along ${"abc"[at % 3]}`,
  );
}

function bodyOf(batch: Batch, system: number, velocities: Float64Array): Body {
  const [from, to] = [batch.nodeOffsets[system]!, batch.nodeOffsets[system + 1]!];
  return {
    positions: batch.get("positions").subarray(3 * from, 3 * to),
    velocities: velocities.subarray(3 * from, 3 * to),
    masses: batch.get("masses").subarray(from, to),
  };
}

/** Draws velocities, Å/fs: each component is √(k_B T / m) times a standard normal random number. */
function draw(
  { velocities, masses }: Body,
  temperature: number,
  id: number,
  [low, high]: readonly [number, number],
): void {
  const words = new Uint32Array(4);
  const normal = new Float64Array(4);
  for (let atom = 0; atom < masses.length; atom++) {
    philox(atom, 0, id, Stream.VELOCITIES, low, high, words);
    gaussians(words, normal);
    const width = Math.sqrt(BOLTZMANN * temperature * ACCELERATION / masses[atom]!);
    for (let k = 0; k < 3; k++) velocities[3 * atom + k] = width * normal[k]!;
  }
}

/** Scales all velocities so that the system has exactly the given temperature. */
function scaleTo({ velocities, masses }: Body, temperature: number, dof: number): void {
  let sum = 0;
  for (let i = 0; i < velocities.length; i++) {
    sum += masses[Math.floor(i / 3)]! * velocities[i]! ** 2;
  }
  if (sum === 0) return;
  const factor = Math.sqrt(dof * BOLTZMANN * temperature * ACCELERATION / sum);
  for (let i = 0; i < velocities.length; i++) velocities[i] = velocities[i]! * factor;
}
