import { call } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import { assertStays } from "../../batch/changing.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import { harmonicBonds as kernel } from "../../kernels/bonded/harmonic_bonds.ts";
import type { Model } from "../model.ts";
import { bondedModel } from "./bonded_model.ts";

/** A bond between two atoms. */
export interface SpringBond {
  /** Indices of the two atoms within their system, from 0. */
  readonly atoms: readonly [number, number];
  /** Equilibrium length r₀ in Å. */
  readonly length: number;
  /** Force constant k in eV/Å². */
  readonly stiffness: number;
  /**
   * Integer lattice translation from the cell of the first atom to that of the second.
   *
   * @default [0, 0, 0]
   */
  readonly shift?: readonly [number, number, number];
}

const NAME = "harmonic bonds";

/**
 * Returns a model of springs between pairs of atoms, E = Σ ½ k (r − r₀)², with energies, forces and stresses. The
 * argument is one list of bonds for all systems of a batch, or one list per system.
 *
 * @throws {RangeError} if a parameter is out of range; the message names the bond. When the model is opened, also if
 * a bond does not fit its system; the message names the system
 *
 * @example
 * ```ts
 * import { harmonicBonds } from "@hooke/hooke/models";
 *
 * // Water without its angle.
 * const water = harmonicBonds([
 *   { atoms: [0, 1], length: 0.9572, stiffness: 48 },
 *   { atoms: [0, 2], length: 0.9572, stiffness: 48 },
 * ]);
 * console.log(water.name);
 * ```
 */
export function harmonicBonds(
  bonds: readonly SpringBond[] | readonly (readonly SpringBond[])[],
): Model {
  const isBySystem = Array.isArray(bonds[0]);
  const lists = (isBySystem ? bonds : [bonds]) as readonly (readonly SpringBond[])[];
  for (const [s, list] of lists.entries()) {
    for (const [b, bond] of list.entries()) {
      checkBond(isBySystem ? `bond ${b} of system ${s}` : `bond ${b}`, bond);
    }
  }
  return bondedModel(NAME, (state) => {
    const list = bondsOn(state, lists, isBySystem);
    return (args) => call(kernel, { ...list, ...args });
  }, true);
}

/**
 * Uploads the bonds to the backend, and returns them as arguments of the kernel. Throws a RangeError if they do not
 * fit the batch.
 */
function bondsOn(
  state: ResidentBatch,
  lists: readonly (readonly SpringBond[])[],
  isBySystem: boolean,
) {
  const { batch } = state;
  if (isBySystem) {
    const requirement = "bonds must be one list for all systems";
    assertStays(batch, `use ${NAME}`, requirement, lists.length);
  }
  const own = bondsOf(batch, lists, isBySystem), flat = own.flat();
  const starts = own.map((_, s) => own.slice(0, s).reduce((sum, list) => sum + list.length, 0));
  return {
    starts: state.constants("i32", [...starts, flat.length], "starts"),
    bonds: state.constants("i32", flat.flatMap(({ atoms }) => atoms), "all"),
    shifts: state.constants("i32", flat.flatMap(({ shift = [0, 0, 0] }) => shift), "all"),
    lengths: state.constants("real", flat.map(({ length }) => length), "all"),
    stiffness: state.constants("real", flat.map(({ stiffness }) => stiffness), "all"),
  };
}

function bondsOf(
  { size, nodeOffsets, infos }: Batch,
  lists: readonly (readonly SpringBond[])[],
  isBySystem: boolean,
): readonly (readonly SpringBond[])[] {
  if (isBySystem && lists.length !== size) {
    throw new RangeError(
      `Cannot use ${NAME}: bonds must be one list for all systems, or one for each of ${size}; got ${lists.length} lists`,
    );
  }
  return Array.from({ length: size }, (_, s) => {
    const list = lists[isBySystem ? s : 0]!;
    const count = nodeOffsets[s + 1]! - nodeOffsets[s]!;
    const wrong = list.findIndex(({ atoms }) => Math.max(...atoms) >= count);
    if (wrong === -1) return list;
    throw new RangeError(
      `Cannot use ${NAME}: bond ${wrong} must join two of the ${count} atoms of system ${
        systemName(infos, s)
      }; ` +
        `got atoms ${list[wrong]!.atoms.join(" and ")}`,
    );
  });
}

function checkBond(name: string, { atoms, length, stiffness, shift }: SpringBond): void {
  const wrong = (member: string, requirement: string, value: unknown) => {
    throw new RangeError(
      `Cannot make ${NAME}: ${member} of ${name} must ${requirement}; got ${String(value)}`,
    );
  };
  const isIndex = (atom: unknown) => Number.isInteger(atom) && (atom as number) >= 0;
  if (atoms?.length !== 2 || !atoms.every(isIndex)) {
    wrong("atoms", "be two non-negative integers", atoms);
  }
  if (atoms[0] === atoms[1] && (shift ?? [0]).every((x) => x === 0)) {
    wrong("atoms", "be two different atoms, or have a shift from the atom to its image", atoms);
  }
  if (!(length > 0 && length < Infinity)) wrong("length", "be above 0 and finite", length);
  if (!(stiffness > 0 && stiffness < Infinity)) {
    wrong("stiffness", "be above 0 and finite", stiffness);
  }
  if (shift !== undefined && (shift.length !== 3 || !shift.every(Number.isInteger))) {
    wrong("shift", "be three whole numbers", shift);
  }
}
