import type { Constraint } from "./constraint.ts";

/**
 * Keeps the center of mass of each system at rest. It covers, in each direction, the atoms that are not fixed. It
 * removes up to three degrees of freedom, which are not counted a second time if velocities were drawn with the
 * center of mass at rest. In a relaxation, the common acceleration is also removed from the forces.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { fixCenterOfMass, NVTLangevin } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using md = new NVTLangevin({
 *   model,
 *   dt: 2,
 *   temperature: 40,
 *   friction: 0.01,
 *   constraints: [fixCenterOfMass()],
 * });
 * await md.run(batch, 50);
 * ```
 */
export function fixCenterOfMass(): Constraint {
  return { name: "fixCenterOfMass", hold: () => ({ center: true }) };
}
