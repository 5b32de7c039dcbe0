/**
 * What a constraint is: something of the atoms that no scheme may change.
 *
 * @module
 */

import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";

/**
 * Something that stays as it is whatever the scheme does: `fixAtoms`, `fixComponents`, `fixCenterOfMass` and `fixBonds`
 * make them. It says what it holds of a batch; the engine sees to it after each kernel of the scheme that moves atoms or
 * changes velocities, so that schemes of one's own are constrained, too.
 */
export interface Constraint {
  /** What it is called, in listings and checkpoints. */
  readonly name: string;
  /** What it holds of a batch. Throws a TypeError or RangeError for what does not fit the batch. */
  hold(state: ResidentBatch): Held;
}

/** What a constraint holds of a batch. */
export interface Held {
  /**
   * The directions in which atoms are fixed, one number per atom: 1 for x, 2 for y, 4 for z, or their sum.
   *
   * @default none
   */
  readonly fixed?: ArrayLike<number>;
  /**
   * Whether the center of mass of each system rests.
   *
   * @default false
   */
  readonly center?: boolean;
  /**
   * Bonds of fixed length.
   *
   * @default none
   */
  readonly bonds?: HeldBonds;
}

/** Bonds of fixed length. */
export interface HeldBonds {
  /** The bonds of each system: pairs of places within it. */
  readonly pairs: readonly (readonly (readonly [number, number])[])[];
  /** How long they are, Å: one for each of `pairs`, and system by system. */
  readonly lengths: readonly (readonly number[])[];
  /** How far from that they may be, as a part of it. */
  readonly tolerance: number | undefined;
  /** In how many rounds they must get there. */
  readonly maxIterations: number;
}

/** Throws a TypeError for what is no list of constraints. */
export function checkConstraints(action: string, constraints: unknown): void {
  if (constraints === undefined) return;
  if (!Array.isArray(constraints)) {
    throw new TypeError(
      complaint(action, "constraints must be an array, as of fixAtoms()", constraints),
    );
  }
  for (const [i, one] of constraints.entries()) {
    if (isObject(one) && typeof one.name === "string" && typeof one.hold === "function") continue;
    throw new TypeError(
      complaint(action, `constraint ${i} must be one, as fixAtoms() makes one`, one),
    );
  }
}
