import { assertStays } from "../../batch/changing.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import type { Constraint, HeldBonds } from "./constraint.ts";
import { checkBonds, checkFixBonds, checkPairs, isShared } from "./fix_bonds_checks.ts";
import { BondGeometry } from "./bond_geometry.ts";

/** Indices of two atoms within their system. */
export type AtomPair = readonly [i: number, j: number];

/**
 * Bonds in one of three forms: a list of pairs that is the same for all systems; a list of pairs for each system; or
 * the name of an integer field with a row per atom. Each row contains the indices of the atoms bonded to the atom,
 * padded with −1. All indices count from the first atom of the system.
 */
export type BondChoice = readonly AtomPair[] | readonly (readonly AtomPair[])[] | string;

/** Options of {@linkcode fixBonds}. */
export interface FixBondsOptions {
  /**
   * Lengths of the bonds, Å: one number for all bonds, one number for each pair in the order of the pairs, or such a
   * list for each system.
   *
   * @default the lengths of the bonds when an engine gets the batch
   */
  readonly lengths?: number | readonly number[] | readonly (readonly number[])[];
  /**
   * Relative tolerance of the lengths. In float32, values below 5e-7 are replaced by 5e-7.
   *
   * @default 1e-6 in float32, 1e-10 in float64
   */
  readonly tolerance?: number;
  /**
   * Maximum number of rounds over the bonds of a molecule. If more rounds are needed, the run ends with a
   * DivergedError. Typical molecules need about ten rounds, stretched chains many more.
   *
   * @default 10000
   */
  readonly maxIterations?: number;
}

type Pairs = readonly AtomPair[];

const ACTION = "fix bonds";

/**
 * Keeps the lengths of bonds fixed. It uses SHAKE for positions (Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23,
 * 327, 1977) and RATTLE for velocities (Andersen, J. Comput. Phys. 52, 24, 1983). With velocity Verlet the
 * combination is RATTLE, with Langevin's BAOAB it is g-BAOAB (Leimkuhler, Matthews, Proc. R. Soc. A 472, 20160138,
 * 2016).
 *
 * A bond connects an atom to the nearest image of the other one. Each bond removes one degree of freedom, unless
 * other bonds have removed it already. In a relaxation, forces along bonds are removed, so `fmax` refers to the
 * remaining forces.
 *
 * Velocities along bonds are removed when a run begins. Velocities from `initVelocities` keep their temperature on
 * average. Stresses do not contain the forces of the bonds, so `fixBonds` cannot be used with integrators that change
 * the cell.
 *
 * @throws {TypeError} if `bonds` are not pairs, or an option is unknown. A streaming run throws it if `bonds` is a
 * list per system
 * @throws {RangeError} if a bond connects an atom to itself or occurs twice, or a length is not above 0. A run throws
 * it if a system does not have a bonded atom
 *
 * @example Rigid molecules
 * ```ts
 * import { Batch, System } from "@hooke/hooke/batch";
 * import { fixBonds, NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const nitrogen = new System({ symbols: ["N", "N"], positions: [0, 0, 0, 1.1, 0, 0] });
 * const batch = Batch.from([nitrogen]);
 * batch.set("velocities", Float64Array.from([0, 0.01, 0, 0, -0.01, 0]));
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0001, sigma: 1, cutoff: 8 }),
 *   dt: 1,
 *   constraints: [fixBonds([[0, 1]])],
 * });
 * await md.run(batch, 100);
 * const [x, y, z, u, v, w] = batch.get("positions") as unknown as number[];
 * assertAlmostEquals(Math.hypot(u! - x!, v! - y!, w! - z!), 1.1, 1e-5);
 * ```
 */
export function fixBonds(bonds: BondChoice, options: FixBondsOptions = {}): Constraint {
  checkBonds(bonds);
  checkFixBonds(options);
  const { tolerance, maxIterations = 10_000 } = options;
  return {
    name: "fixBonds",
    hold(state) {
      const pairs = pairsOf(state, bonds);
      return {
        bonds: { pairs, lengths: lengthsOf(state, pairs, options), tolerance, maxIterations },
      };
    },
  };
}

/** Returns whether `lengths` has a list for each system. */
function isOwn(
  lengths: FixBondsOptions["lengths"],
): lengths is readonly (readonly number[])[] {
  return Array.isArray(lengths) && Array.isArray(lengths[0]);
}

/** Returns the bonds of each system. Throws a RangeError if they do not fit the batch. */
function pairsOf(state: ResidentBatch, bonds: BondChoice): Pairs[] {
  const { size, nodeOffsets } = state.batch;
  const all = typeof bonds === "string"
    ? partnersIn(state, bonds)
    : isShared(bonds)
    ? Array.from({ length: size }, () => bonds as Pairs)
    : bonds as readonly Pairs[];
  if (all === bonds) {
    assertStays(
      state.batch,
      ACTION,
      "bonds must be one list for all systems, or the name of a field",
      size,
    );
  }
  if (all.length !== size) {
    throw new RangeError(
      `Cannot ${ACTION}: bonds must be one list for all systems, or one for each of ${size}; got ${all.length} lists`,
    );
  }
  for (const [s, pairs] of all.entries()) {
    const atoms = nodeOffsets[s + 1]! - nodeOffsets[s]!;
    for (const [b, pair] of pairs.entries()) {
      if (Math.max(...pair) < atoms) continue;
      throw new RangeError(
        `Cannot ${ACTION}: the atom indices of bond ${b} of system ${
          systemName(state.batch.infos, s)
        } must be less than ${atoms}, the number of atoms in that system; got ${Math.max(...pair)}`,
      );
    }
  }
  return [...all];
}

/** Returns the bonds that a field lists, by system. The field may list a bond at one of its atoms or at both. */
function partnersIn({ batch }: ResidentBatch, name: string): Pairs[] {
  const field = batch.fields().find((one) => one.name === name);
  if (field?.level !== "node" || field.dtype !== "i32") {
    throw new TypeError(
      `Cannot ${ACTION}: the batch must have a field ${name} with i32 values per atom; got ${
        field === undefined ? "no such field" : `${field.dtype} per ${field.level}`
      }`,
    );
  }
  const { width } = field, partners = batch.get(name) as Int32Array;
  const lists = Array.from({ length: batch.size }, (_, s) => {
    const known = new Map<string, AtomPair>();
    const first = batch.nodeOffsets[s]!;
    for (let k = width * first; k < width * batch.nodeOffsets[s + 1]!; k++) {
      if (partners[k]! < 0) continue;
      const [i, j] = [Math.floor(k / width) - first, partners[k]!].sort((a, b) => a - b);
      known.set(`${i} ${j}`, [i!, j!]);
    }
    return [...known.values()];
  });
  for (const [s, pairs] of lists.entries()) {
    checkPairs(pairs, ` of system ${systemName(batch.infos, s)}`);
  }
  return lists;
}

/**
 * Returns the target lengths of the bonds, Å, by system. Throws a RangeError if a length does not fit the cell, or
 * the atoms of a bond are at the same position.
 */
function lengthsOf(
  state: ResidentBatch,
  pairs: readonly Pairs[],
  { lengths }: FixBondsOptions,
): HeldBonds["lengths"] {
  const geometry = new BondGeometry(state);
  if (isOwn(lengths)) {
    assertStays(state.batch, ACTION, "lengths must be one list for all systems", lengths.length);
  }
  return pairs.map((list, s) => {
    const system = systemName(state.batch.infos, s);
    const given = isOwn(lengths) ? lengths[s] : lengths;
    if (Array.isArray(given) && given.length !== list.length) {
      throw new RangeError(
        `Cannot ${ACTION}: lengths must have one number for each of ${list.length} bonds of system ${system}; got ${given.length}`,
      );
    }
    const reach = geometry.reach(s);
    return list.map((pair, b) => {
      const now = geometry.length(s, pair);
      const length = typeof given === "number" ? given : given?.[b] ?? now;
      if (now > 0 && length > 0 && length < reach) return length;
      throw new RangeError(
        now > 0 && length > 0
          ? `Cannot ${ACTION}: bond ${b} of system ${system} must be shorter than half the height of the cell, ${reach} Å; got ${length} Å`
          : `Cannot ${ACTION}: the atoms of bond ${b} of system ${system} must not be at the same position; got a distance of ${now} Å`,
      );
    });
  });
}
