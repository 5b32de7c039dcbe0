/**
 * Kinetic energy and temperature, per system.
 *
 * @module
 */

import { ACCELERATION, BOLTZMANN } from "../kernels/constants.ts";
import type { Batch } from "./batch.ts";
import { show } from "../base/show.ts";

/**
 * Returns the kinetic energy of each system, eV: Σ ½ m v². It is 0 if the batch has no velocities.
 *
 * @throws {Error} if an engine holds the velocities
 *
 * @example
 * ```ts
 * import { Batch, kineticEnergies } from "@hooke/hooke/batch";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const atom = { symbols: ["H"], masses: [2], positions: [0, 0, 0], velocities: [1, 0, 0] };
 * const [energy] = kineticEnergies(Batch.from([atom]));
 * assertAlmostEquals(energy!, 103.6427, 1e-4); // ½ m v² = 1 amu Å²/fs²
 * ```
 */
export function kineticEnergies(batch: Batch): Float64Array {
  const energies = new Float64Array(batch.size);
  if (!batch.has("velocities")) return energies;
  const [velocities, masses] = [batch.get("velocities"), batch.get("masses")];
  for (let system = 0; system < batch.size; system++) {
    let sum = 0;
    for (let node = batch.nodeOffsets[system]!; node < batch.nodeOffsets[system + 1]!; node++) {
      const [x, y, z] = [
        velocities[3 * node]!,
        velocities[3 * node + 1]!,
        velocities[3 * node + 2]!,
      ];
      sum += masses[node]! * (x * x + y * y + z * z);
    }
    energies[system] = sum / (2 * ACCELERATION);
  }
  return energies;
}

/**
 * Returns the degrees of freedom of each system: 3 per atom minus the field `dofRemoved`, which {@linkcode
 * initVelocities} sets, and at least 0. Constraints of an engine do not count, because the batch does not contain
 * them.
 *
 * @example
 * ```ts
 * import { Batch, degreesOfFreedom, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26 })]); // 4 atoms
 * assertEquals([...degreesOfFreedom(batch)], [12]);
 * initVelocities(batch, 40); // the center of mass is at rest
 * assertEquals([...degreesOfFreedom(batch)], [9]);
 * ```
 */
export function degreesOfFreedom(batch: Batch): Float64Array {
  const removed = batch.has("dofRemoved") ? batch.get("dofRemoved") : undefined;
  return Float64Array.from({ length: batch.size }, (_, system) => {
    const atoms = batch.nodeOffsets[system + 1]! - batch.nodeOffsets[system]!;
    return Math.max(0, 3 * atoms - (removed?.[system] ?? 0));
  });
}

/**
 * Returns the temperature of each system, K: 2 E / (dof k_B). It is 0 for a system without degrees of freedom.
 *
 * @param dof degrees of freedom: one number for all systems, or one per system. @default the result of
 * `degreesOfFreedom`
 * @throws {RangeError} if the number of values differs from the number of systems
 * @throws {Error} if an engine holds the velocities
 *
 * @example
 *
 * ```ts
 * import { Batch, temperatureOf } from "@hooke/hooke/batch";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], velocities: [0.001, 0, 0] }]);
 * assertAlmostEquals(temperatureOf(batch)[0]!, 16.0155, 1e-4);
 * ```
 */
export function temperatureOf(batch: Batch, dof?: number | ArrayLike<number>): Float64Array {
  const freedoms = dof === undefined
    ? degreesOfFreedom(batch)
    : perSystem(dof, batch.size, "compute temperatures", "dof");
  return kineticEnergies(batch).map((energy, system) =>
    freedoms[system] === 0 ? 0 : 2 * energy / (freedoms[system]! * BOLTZMANN)
  );
}

/**
 * Returns a list with one value per system. A single number is repeated for all systems.
 *
 * @throws {RangeError} if a value is not a finite number of 0 or more, or the number of values differs from the number
 * of systems
 */
export function perSystem(
  values: number | ArrayLike<number>,
  size: number,
  action: string,
  what: string,
): Float64Array {
  const list = typeof values === "number" ? new Float64Array(size).fill(values) : values;
  if (!Array.isArray(list) && !ArrayBuffer.isView(list) || list.length !== size) {
    throw new RangeError(
      `Cannot ${action}: ${what} must be one number, or a list of ${size}, one per system; got ${
        show(values)
      }`,
    );
  }
  return Float64Array.from(list, (value, system) => {
    if (typeof value === "number" && value >= 0 && value < Infinity) return value;
    throw new RangeError(
      `Cannot ${action}: ${what} must be 0 or more and finite; got ${
        show(value)
      } for system ${system}`,
    );
  });
}
