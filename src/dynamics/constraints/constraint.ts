/**
 * Constraints: positions, velocities or bond lengths that no integrator may change.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { isObject, type Members } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/**
 * A restriction of the motion of atoms that holds under every integrator: `fixAtoms`, `fixComponents`,
 * `fixCenterOfMass` and `fixBonds` make them. The engine applies it after each kernel of the
 * integrator that moves atoms or changes velocities, so custom integrators are constrained, too.
 */
export interface Constraint {
  /** The name in listings and checkpoints. */
  readonly name: string;
  /** Returns the degrees of freedom that it holds in a batch. Throws a TypeError or RangeError if it does not fit. */
  hold(state: ResidentBatch): Held;
}

/** The degrees of freedom that a constraint holds in a batch. */
export interface Held {
  /**
   * The directions in which atoms are fixed, one number per atom: 1 for x, 2 for y, 4 for z, or their sum.
   *
   * @default undefined
   */
  readonly fixed?: ArrayLike<number>;
  /**
   * True if the center of mass of each system is held at rest.
   *
   * @default false
   */
  readonly center?: boolean;
  /**
   * Bonds of fixed length.
   *
   * @default undefined
   */
  readonly bonds?: HeldBonds;
}

/** Bonds of fixed length. */
export interface HeldBonds {
  /** The bonds of each system: pairs of places within it. */
  readonly pairs: readonly (readonly (readonly [number, number])[])[];
  /** The lengths of the bonds, Å: one for each of `pairs`, system by system. */
  readonly lengths: readonly (readonly number[])[];
  /** The relative tolerance of the lengths. */
  readonly tolerance: number | undefined;
  /** The maximum number of iterations. */
  readonly maxIterations: number;
}

/** Throws a TypeError if options have no list of constraints, or no flag for those of files. */
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
        `constraint ${i} must have name and hold, as the result of fixAtoms() has`,
        one,
      ),
    );
  }
}
