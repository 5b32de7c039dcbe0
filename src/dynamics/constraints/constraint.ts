/**
 * Constraints: restrictions of positions, velocities or bond lengths that hold under every integrator.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/**
 * A restriction of the motion of atoms that holds under every integrator. `fixAtoms`, `fixComponents`,
 * `fixCenterOfMass` and `fixBonds` create constraints. The engine applies them after each kernel of the integrator
 * that moves atoms or changes velocities, so custom integrators are constrained, too.
 */
export interface Constraint {
  /** Name of the constraint in listings and checkpoints. */
  readonly name: string;
  /**
   * Returns the degrees of freedom that the constraint removes in a batch. Throws a TypeError or RangeError if the
   * constraint does not fit the batch.
   */
  hold(state: ResidentBatch): Held;
}

/** The degrees of freedom that a constraint removes in a batch. */
export interface Held {
  /**
   * Directions in which atoms are fixed, one number per atom: the sum of 1 for x, 2 for y and 4 for z; 0 for a free
   * atom. If undefined, no atom is fixed.
   *
   * @default undefined
   */
  readonly fixed?: ArrayLike<number>;
  /**
   * True if the center of mass of each system is kept at rest.
   *
   * @default false
   */
  readonly center?: boolean;
  /**
   * Bonds of fixed length, if any.
   *
   * @default undefined
   */
  readonly bonds?: HeldBonds;
}

/** Bonds of fixed length. */
export interface HeldBonds {
  /** Bonds of each system: pairs of atom indices within the system. */
  readonly pairs: readonly (readonly (readonly [number, number])[])[];
  /** Lengths of the bonds, Å, in the same order as `pairs`. */
  readonly lengths: readonly (readonly number[])[];
  /** Relative tolerance of the lengths; `undefined` for the default of the backend. */
  readonly tolerance: number | undefined;
  /** Maximum number of rounds over the bonds of a molecule. */
  readonly maxIterations: number;
}

/**
 * Throws a TypeError if the option `constraints` is not a list of constraints, or `fileConstraints` is not a boolean.
 */
export function checkConstraints(
  action: string,
  { constraints, fileConstraints }: Members,
): void {
  if (fileConstraints !== undefined && typeof fileConstraints !== "boolean") {
    throw new TypeError(
      complaint(action, "fileConstraints must be true or false", fileConstraints),
    );
  }
  if (constraints === undefined) return;
  if (!Array.isArray(constraints)) {
    throw new TypeError(
      complaint(action, "constraints must be an array, such as [fixAtoms([0])]", constraints),
    );
  }
  for (const [i, one] of constraints.entries()) {
    if (isObject(one) && typeof one.name === "string" && typeof one.hold === "function") continue;
    throw new TypeError(
      complaint(
        action,
        `constraint ${i} must be an object with a name and a function hold, such as fixAtoms([0])`,
        one,
      ),
    );
  }
}
