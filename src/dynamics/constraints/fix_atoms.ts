import { type AtomChoice, chosen, isAtomChoice } from "../../batch/atom_choice.ts";
import { complaint } from "../../base/show.ts";
import type { Constraint } from "./constraint.ts";

/** Directions as letters, such as `"z"` or `"xy"`, or as one flag for each of x, y and z. */
export type Directions = string | readonly [x: boolean, y: boolean, z: boolean];

/**
 * Fixes atoms in space. Integrators do not change a bit of their positions, their velocities and forces are 0, and
 * they have no degrees of freedom. `choice` is a function, a flag for each atom of the batch, or the indices of the
 * atoms in the batch. It is evaluated once, when an engine opens a batch. If systems are replaced during a run, it
 * must be a function.
 *
 * When an integrator changes the cell, fixed atoms do not move with it. A hook may still move them. `FreezeAtomsHook`
 * fixes atoms by a hook, which can be turned off during a run.
 *
 * @throws {TypeError} if `choice` is not a selection of atoms. The run throws a RangeError if `choice` does not fit
 * the batch, and a TypeError if it is a list in a streaming run
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
 * import { fixAtoms, NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * const before = batch.get("positions").slice();
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   constraints: [fixAtoms([0, 1])],
 * });
 * await md.run(batch, 50);
 * assertEquals(batch.get("positions").slice(0, 6), before.slice(0, 6));
 * ```
 */
export function fixAtoms(choice: AtomChoice): Constraint {
  return fixing("fixAtoms", choice, 7);
}

/**
 * Fixes coordinates of atoms: after `fixComponents(choice, "z")` the atoms move only in x and y. Each fixed
 * coordinate removes one degree of freedom. Otherwise it works as {@linkcode fixAtoms}.
 *
 * @throws {TypeError} if `choice` is not a selection of atoms, or `directions` are invalid
 *
 * @example
 * ```ts
 * import { fixComponents } from "@hooke/hooke/dynamics";
 *
 * fixComponents(({ number }) => number === 29, "xy"); // copper moves only along z
 * fixComponents([0, 4], [true, false, false]); // two atoms keep their x
 * ```
 */
export function fixComponents(choice: AtomChoice, directions: Directions): Constraint {
  return fixing("fixComponents", choice, bitsOf(directions));
}

function fixing(name: string, choice: AtomChoice, bits: number): Constraint {
  if (!isAtomChoice(choice)) {
    throw new TypeError(
      complaint(
        `make ${name}`,
        "the atoms to fix must be a function of an atom, an array of one flag per atom, or an array of indices",
        choice,
      ),
    );
  }
  return {
    name,
    hold: (state) => ({ fixed: chosen(state, choice, "fix atoms").map((is) => bits * is) }),
  };
}

function bitsOf(directions: unknown): number {
  const flags = typeof directions === "string"
    ? /^(?!.*(.).*\1)[xyz]+$/.test(directions)
      ? Array.from("xyz", (axis) => directions.includes(axis))
      : []
    : Array.isArray(directions) && directions.every((flag) => typeof flag === "boolean")
    ? directions as boolean[]
    : [];
  if (flags.length === 3 && flags.includes(true)) {
    return flags.reduce((bits, flag, axis) => bits + (flag ? 1 << axis : 0), 0);
  }
  throw new TypeError(
    complaint(
      "make fixComponents",
      'directions must be different letters of "xyz", such as "xy", or three booleans with at least one true',
      directions,
    ),
  );
}
