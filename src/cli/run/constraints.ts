/**
 * Constraints in the command line.
 *
 * @module
 */

import { atomicNumber, isSymbol } from "../../batch/elements.ts";
import type { AtomView } from "../../batch/atom_choice.ts";
import type { Constraint } from "../../dynamics/constraints/constraint.ts";
import type { Structure } from "./structures.ts";
import { UsageError } from "../frame/usage_error.ts";

/**
 * Returns the constraints that `--constraints` names. Indices count the atoms of each structure from 0.
 *
 * @throws {UsageError} if a text is not a constraint
 */
export async function constraintsOf(specs: readonly string[]): Promise<readonly Constraint[]> {
  const found: Constraint[] = [];
  for (const spec of specs) found.push(await constraintOf(spec));
  return found;
}

/** Throws a UsageError if a constraint chooses no atom of any structure. */
export async function checkConstraints(
  specs: readonly string[],
  structures: readonly Structure[],
): Promise<void> {
  for (const spec of specs) {
    const [, , atoms] = FIX.exec(spec) ?? [];
    if (atoms === undefined) {
      await constraintOf(spec); // throws for a text that is not a constraint
      continue;
    }
    const chosen = choiceOf(atoms, spec);
    const isUsed = structures.some(({ system }) =>
      Array.from(system.numbers).some((number, place) => chosen({ number, place } as AtomView))
    );
    if (isUsed) continue;
    throw new UsageError(`Cannot use --constraints ${spec}: no structure has such atoms`);
  }
}

/** Constraints of atoms: `fix:ATOMS` and `fix-xy:ATOMS`. */
const FIX = /^fix(?:-([xyz]+))?:(.+)$/;

async function constraintOf(spec: string): Promise<Constraint> {
  if (spec === "com") {
    const { fixCenterOfMass } = await import("../../dynamics/constraints/fix_center_of_mass.ts");
    return fixCenterOfMass();
  }
  const [, directions, atoms] = FIX.exec(spec) ?? [];
  if (atoms === undefined) {
    throw new UsageError(
      `Cannot use --constraints ${spec}: it must be com, fix:ATOMS or fix-xy:ATOMS, where ATOMS is 0-3,8 or Cu,O`,
    );
  }
  const { fixAtoms, fixComponents } = await import("../../dynamics/constraints/fix_atoms.ts");
  const choice = choiceOf(atoms, spec);
  return directions === undefined ? fixAtoms(choice) : fixComponents(choice, directions);
}

function choiceOf(atoms: string, spec: string): (atom: AtomView) => boolean {
  const parts = atoms.split(",").map((part) => partOf(part, spec));
  return (atom) => parts.some((holds) => holds(atom));
}

function partOf(part: string, spec: string): (atom: AtomView) => boolean {
  if (isSymbol(part)) {
    const wanted = atomicNumber(part);
    return ({ number }) => number === wanted;
  }
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
  if (first === undefined || Number(last) < Number(first)) {
    throw new UsageError(
      `Cannot use --constraints ${spec}: atoms must be indices, ranges or elements; got ${part}`,
    );
  }
  return ({ place }) => place >= Number(first) && place <= Number(last);
}
