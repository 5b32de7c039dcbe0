import type { Constraint } from "./constraint.ts";

/**
 * Holds the center of mass of each system where it is, and its momentum at 0: three degrees of freedom, of which no more
 * is counted where velocities were drawn so. In a relaxation it is also taken off the forces. It is over the atoms that
 * are not fixed, in each direction.
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
