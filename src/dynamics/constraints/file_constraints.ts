/**
 * Constraints of systems from files: the field `move_mask`, and the constraints that `info.constraints` lists.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { MOVE_MASK, type NumericArray } from "../../batch/fields/fields.ts";
import { type Info, systemName } from "../../batch/store.ts";
import { isObject } from "../../base/object.ts";
import type { Constraint } from "./constraint.ts";

/** The constraints in the options of an engine. */
export interface EngineConstraints {
  /** The constraints that the user passed. */
  readonly constraints: readonly Constraint[];
  /** True if constraints that systems bring from files apply, too. */
  readonly hasFileConstraints: boolean;
}

/**
 * Returns the constraints that an engine applies to a batch: those of the engine's options, followed by the one of
 * the field `move_mask`, if the field fixes an atom.
 */
export function constraintsOn(
  batch: Batch,
  { constraints, hasFileConstraints }: EngineConstraints,
): readonly Constraint[] {
  const mask = hasFileConstraints ? moveMaskOf(batch) : undefined;
  if (mask === undefined) return constraints;
  const fixed = new Set<number>(), width = mask.length / batch.nodeCount;
  mask.forEach((moves, i) => moves === 0 && fixed.add(Math.floor(i / width)));
  // Without a fixed atom, a constraint would only cost time in each step.
  if (fixed.size === 0) return constraints;
  const name = `${MOVE_MASK} (${fixed.size} of ${batch.nodeCount} atoms)`;
  return [...constraints, { ...fixMasked(), name }];
}

/**
 * Returns the field `move_mask` of a batch: 0 for fixed, 1 for moving. Returns `undefined` if the batch does not have
 * it.
 */
export function moveMaskOf(batch: Batch): NumericArray | undefined {
  return batch.has(MOVE_MASK) ? batch.get(MOVE_MASK) : undefined;
}

/**
 * Returns the names of constraints from a file that engines cannot apply. `readSystems` leaves these constraints in
 * `info.constraints`.
 */
export function unknownConstraints({ constraints }: Info): string[] {
  if (!Array.isArray(constraints)) return [];
  return constraints.flatMap((one) =>
    isObject(one) && typeof one.name === "string" && isObject(one.kwargs) ? [one.name] : []
  );
}

/** Returns the warning about a constraint of a file that engines cannot apply. */
export function unknownWarning(name: string, infos: readonly Info[], system: number): Error {
  return new Error(
    `The constraint ${name} of system ${
      systemName(infos, system)
    } is ignored: engines apply only FixAtoms and FixCartesian from files. ` +
      'Pass such a constraint in the engine\'s option "constraints", or hide this warning by fileConstraints: false',
  );
}

/**
 * Fixes the atoms that a field of the batch marks: 0 for fixed, 1 for moving, with one number per atom or one for
 * each of x, y and z. Engines apply the field `move_mask`, in which files store ASE's `FixAtoms` and `FixCartesian`,
 * without this constraint, unless they have `fileConstraints: false`.
 *
 * @param field name of the field. Default: `"move_mask"`, the name that ASE uses
 *
 * @example
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { parseExtxyz } from "@hooke/hooke/batch/extxyz";
 * import { FIRE, fixMasked } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const text = `2
 * Properties=species:S:1:pos:R:3:relaxes:L:1 pbc="F F F"
 * Ar 0 0 0 F
 * Ar 3 1 0 T
 * `;
 * const batch = Batch.from(parseExtxyz(text));
 * const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * await using opt = new FIRE({ model, dt: 0.5, constraints: [fixMasked("relaxes")] });
 * await opt.run(batch, 20);
 * assertEquals([...batch.get("positions").slice(0, 3)], [0, 0, 0]);
 * ```
 */
export function fixMasked(field: string = MOVE_MASK): Constraint {
  return { name: "fixMasked", hold: ({ batch }) => ({ fixed: maskedIn(batch, field) }) };
}

function maskedIn(batch: Batch, name: string): Int32Array {
  const field = batch.fields().find((one) => one.name === name);
  const width = field?.level === "node" ? field.width : 0;
  if (width !== 1 && width !== 3) {
    throw new TypeError(
      `Cannot fix atoms: the batch must have a field ${name} with one number or three per atom; got ${
        field === undefined ? "no such field" : `${field.width} per ${field.level}`
      }`,
    );
  }
  const moves = batch.get(name);
  return Int32Array.from({ length: batch.nodeCount }, (_, atom) =>
    [0, 1, 2].reduce(
      (bits, axis) => moves[width * atom + axis % width] === 0 ? bits + (1 << axis) : bits,
      0,
    ));
}
