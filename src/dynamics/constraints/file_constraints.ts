/**
 * Constraints that systems bring along from files: the field `move_mask`, and others by name in their `info`.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { Info } from "../../batch/store.ts";
import { isObject } from "../../base/object.ts";
import type { Constraint } from "./constraint.ts";
import { fixMasked, MOVE_MASK } from "./fix_atoms.ts";

/** The constraints of an engine, as its options say. */
export interface EngineConstraints {
  /** The constraints that the user passed. */
  readonly constraints: readonly Constraint[];
  /** True if constraints that systems bring along hold, too. */
  readonly hasFileConstraints: boolean;
}

/** Returns the constraints of an engine on a batch: those of its options, then those that the systems bring along. */
export function constraintsOn(
  batch: Batch,
  { constraints, hasFileConstraints }: EngineConstraints,
): readonly Constraint[] {
  const mask = hasFileConstraints ? moveMaskOf(batch) : undefined;
  if (mask === undefined) return constraints;
  const fixed = new Set<number>(), width = mask.length / batch.nodeCount;
  mask.forEach((moves, i) => moves === 0 && fixed.add(Math.floor(i / width)));
  // Without a fixed atom there is nothing to hold, and no work per step.
  if (fixed.size === 0) return constraints;
  const name = `${MOVE_MASK} (${fixed.size} of ${batch.nodeCount} atoms)`;
  return [...constraints, { ...fixMasked(), name }];
}

/** Returns the field of a batch that says which atoms may move, if it has one. */
export function moveMaskOf(batch: Batch): NumericArray | undefined {
  return batch.has(MOVE_MASK) ? batch.get(MOVE_MASK) : undefined;
}

/** Returns the names of the constraints in an `info` that no engine knows: `readSystems` leaves them there. */
export function unknownConstraints({ constraints }: Info): string[] {
  if (!Array.isArray(constraints)) return [];
  return constraints.flatMap((one) =>
    isObject(one) && typeof one.name === "string" && isObject(one.kwargs) ? [one.name] : []
  );
}

/** Returns the warning about a constraint of a file that no engine knows. */
export function unknownWarning(name: string, system: number): Error {
  return new Error(
    `The constraint ${name} of system ${system} is ignored: engines know FixAtoms and FixCartesian of files. ` +
      "Pass constraints to the engine, or fileConstraints: false to ignore it without a warning",
  );
}
