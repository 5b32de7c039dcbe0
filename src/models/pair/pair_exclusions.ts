/**
 * Pairs of atoms whose interaction a pair potential excludes or scales.
 *
 * @module
 */

import { checkNumber, NOT_NEGATIVE } from "../../base/check_number.ts";
import { checkKeys, checkOption } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { complaint, show } from "../../base/show.ts";
import { assertStays } from "../../batch/changing.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import { bitsOf, PERIODIC_SHIFT } from "../../kernels/pairs/exclusions.ts";
import { valuesOf } from "../model.ts";

/** Indices of two atoms within their system, from 0. */
export type ExcludedPair = readonly [number, number];

/** One list of pairs for all systems of a batch, or one list per system. */
export type ExclusionLists = readonly ExcludedPair[] | readonly (readonly ExcludedPair[])[];

/** Pairs of atoms that do not interact, or whose interaction is scaled, such as bonded atoms. */
export interface PairExclusions {
  /**
   * Bonds between atoms. Bonded atoms (1-2 pairs) do not interact. By default neither do atoms that are bonded to the
   * same atom (1-3 pairs).
   *
   * @default undefined
   */
  readonly bonds?: ExclusionLists;
  /**
   * Range of the exclusions that follow from bonds: 2 excludes only 1-2 pairs, 3 also excludes 1-3 pairs.
   *
   * @default 3
   */
  readonly through?: 2 | 3;
  /**
   * Factor for the energy and the force of atoms that are three bonds apart (1-4 pairs); 0 excludes them.
   *
   * @default 1
   */
  readonly scale14?: number;
  /**
   * Further pairs that do not interact.
   *
   * @default undefined
   */
  readonly pairs?: ExclusionLists;
}

/**
 * Factors for the interactions of pairs. The keys are the index of one atom and the index of the other atom, within
 * the system.
 */
type Partners = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Checked exclusions of a pair potential. */
export class Exclusions {
  readonly #model: string;
  /** One table for all systems, or one table per system. */
  readonly #partners: readonly Partners[];
  readonly #isBySystem: boolean;

  /** Checks exclusions. Throws a TypeError or RangeError that names the wrong member. */
  constructor(model: string, exclusions: PairExclusions) {
    checkMembers(`make ${model}`, exclusions);
    const { bonds = [], through = 3, scale14 = 1, pairs = [] } = exclusions;
    const refuse = (what: string, requirement: string, value: unknown): never => {
      throw new RangeError(
        `Cannot make ${model}: ${what} must be ${requirement}; got ${show(value)}`,
      );
    };
    if (through !== 2 && through !== 3) refuse("through", "2 or 3", through);
    checkNumber(`make ${model}`, "scale14", scale14, NOT_NEGATIVE);
    const lists = [bonds, pairs].map((list) => isBySystem(list) ? list : [list as ExcludedPair[]]);
    const [own, others] = lists as [readonly ExcludedPair[][], readonly ExcludedPair[][]];
    const systems = Math.max(own.length, others.length);
    this.#isBySystem = isBySystem(bonds) || isBySystem(pairs);
    if (isBySystem(bonds) && isBySystem(pairs) && own.length !== others.length) {
      refuse("pairs", `lists for each of ${own.length} systems, as bonds are`, others.length);
    }
    for (const [name, all] of [["bonds", own], ["pairs", others]] as const) {
      const wrong = all.flat().find((pair) => !isPair(pair));
      if (wrong !== undefined) refuse(name, "pairs of two atoms, counted from 0", wrong);
    }
    this.#model = model;
    this.#partners = Array.from({ length: systems }, (_, s) => {
      const at = (list: readonly ExcludedPair[][]) => list[list.length === 1 ? 0 : s]!;
      return partnersOf(at(own), at(others), through, scale14);
    });
  }

  /**
   * Returns the table that {@linkcode scaleOf} reads. It has a row for each atom of the batch: the atom's type, the
   * periodicity of its system, and its partners with their factors. Without `types`, all atoms are of type 0. Throws
   * a RangeError if a pair contains an atom that its system does not have.
   */
  rows(state: ResidentBatch, types: ArrayLike<number> | undefined): Int32Array {
    const { batch } = state;
    if (this.#isBySystem) this.#assertFits(state);
    const all = Array.from(
      { length: batch.size },
      (_, s) => this.#partners[s] ?? this.#partners[0]!,
    );
    const stride = 1 + 2 * this.#longest();
    const rows = new Int32Array(stride * batch.nodeCount).fill(-1);
    const pbc = valuesOf(state, "pbc");
    for (const [s, partners] of all.entries()) {
      const [first, end] = [batch.nodeOffsets[s]!, batch.nodeOffsets[s + 1]!];
      this.#assertHas(partners, systemName(batch.infos, s), end - first);
      const periodic = [0, 1, 2].reduce((bits, k) => bits | (pbc[3 * s + k] === 0 ? 0 : 1 << k), 0);
      for (let atom = first; atom < end; atom++) {
        rows[stride * atom] = (types?.[atom] ?? 0) | periodic << PERIODIC_SHIFT;
        let at = stride * atom + 1;
        for (const [other, scale] of partners.get(atom - first) ?? []) {
          rows[at++] = other;
          rows[at++] = bitsOf(scale);
        }
      }
    }
    return rows;
  }

  /** Returns the largest number of partners of an atom, but at least 1. */
  #longest(): number {
    let longest = 1;
    for (const own of this.#partners) {
      for (const { size } of own.values()) longest = Math.max(longest, size);
    }
    return longest;
  }

  #assertFits({ batch }: ResidentBatch): void {
    const { length } = this.#partners;
    const requirement = "excluded bonds and pairs must be one list for all systems";
    assertStays(batch, `use ${this.#model}`, requirement, length);
    if (length === batch.size) return;
    throw new RangeError(
      `Cannot use ${this.#model}: excluded bonds and pairs must be one list for all systems, or one for each of ${batch.size}; ` +
        `got ${length} lists`,
    );
  }

  #assertHas(partners: Partners, system: string, atoms: number): void {
    const wrong = [...partners.keys()].find((atom) => atom >= atoms);
    if (wrong === undefined) return;
    throw new RangeError(
      `Cannot use ${this.#model}: excluded pairs must refer to the ${atoms} atoms of system ${system}; ` +
        `got atom ${wrong}`,
    );
  }
}

function checkMembers(action: string, exclusions: unknown): void {
  if (!isObject(exclusions)) {
    throw new TypeError(complaint(action, "exclude must be an object", exclusions));
  }
  checkKeys(action, "members of exclude", exclusions, ["bonds", "through", "scale14", "pairs"]);
  for (const name of ["bonds", "pairs"]) {
    checkOption(action, exclusions, name, "a list of pairs of atoms", Array.isArray);
  }
}

function isBySystem(list: ExclusionLists): list is readonly (readonly ExcludedPair[])[] {
  return Array.isArray(list?.[0]) && (list[0].length === 0 || Array.isArray(list[0][0]));
}

function isPair(pair: unknown): pair is ExcludedPair {
  return Array.isArray(pair) && pair.length === 2 && pair[0] !== pair[1] &&
    pair.every((atom) => Number.isInteger(atom) && atom >= 0);
}

/**
 * Returns the factors of pairs up to three bonds apart and of the pairs in `pairs`, which get 0. If several paths of
 * bonds join two atoms, the shortest path counts.
 */
function partnersOf(
  bonds: readonly ExcludedPair[],
  pairs: readonly ExcludedPair[],
  through: 2 | 3,
  scale14: number,
): Partners {
  const bonded = new Map<number, Set<number>>();
  for (const [i, j] of bonds) {
    for (const [a, b] of [[i, j], [j, i]] as const) {
      bonded.set(a, (bonded.get(a) ?? new Set()).add(b));
    }
  }
  const scales = [0, through === 3 ? 0 : 1, scale14];
  const partners = new Map<number, Map<number, number>>();
  const rowOf = (atom: number) => {
    const row = partners.get(atom) ?? new Map<number, number>();
    partners.set(atom, row);
    return row;
  };
  for (const atom of bonded.keys()) {
    const seen = new Set([atom]);
    let shell: readonly number[] = [atom];
    for (const scale of scales) {
      shell = [...new Set(shell.flatMap((one) => [...bonded.get(one)!]))]
        .filter((one) => !seen.has(one));
      for (const other of shell) {
        seen.add(other);
        if (scale !== 1) rowOf(atom).set(other, scale);
      }
    }
  }
  for (const [i, j] of pairs) {
    rowOf(i).set(j, 0);
    rowOf(j).set(i, 0);
  }
  return partners;
}
