/**
 * Options of all pair potentials: cutoffs, truncation, exclusions, types of atoms.
 *
 * @module
 */

import type { Buffer, Pairs } from "../../backend/backend.ts";
import { Want } from "../../kernels/pairs/sum_pairs.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { atomicNumber, atomicSymbol } from "../../batch/elements.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { Exclusions, type PairExclusions } from "./pair_exclusions.ts";
import { outputsOf, valuesOf, type Wanted } from "../model.ts";

/** Options of every pair potential. */
export interface PairOptions {
  /** Cutoff radius in Å: pairs that are farther apart do not interact. */
  readonly cutoff: number;
  /**
   * Truncation at the cutoff: `"shift"` subtracts the energy there from each pair, so that energies have no step;
   * `"switch"` brings energy and force smoothly to zero over `switchWidth`; `"cut"` does nothing.
   *
   * @default "shift"
   */
  readonly truncation?: "shift" | "switch" | "cut";
  /**
   * Width of the range before the cutoff in which `"switch"` works, Å.
   *
   * @default 1
   */
  readonly switchWidth?: number;
  /**
   * Distance beyond the cutoff up to which pairs are kept, Å, so that they need not be found anew at each step. Results
   * depend on it by rounding alone.
   *
   * @default 1.5
   */
  readonly skin?: number;
  /**
   * Pairs of atoms that do not interact, or less than others, such as bonded ones. A pair is excluded in its nearest image
   * alone.
   *
   * @default none
   */
  readonly exclude?: PairExclusions;
}

/** Options of a pair potential, checked. */
export interface CheckedPairOptions extends Required<Omit<PairOptions, "exclude">> {
  /** Excluded pairs. */
  readonly exclusions: Exclusions | undefined;
}

/** Throws a TypeError or RangeError that names the option that is wrong; `own` are those of the potential alone. */
export function checkPairOptions(
  name: string,
  options: PairOptions,
  own: readonly string[],
): CheckedPairOptions {
  checkOptions(`make ${name}`, options, [
    ...own,
    "cutoff",
    "truncation",
    "switchWidth",
    "skin",
    "exclude",
  ]);
  const { cutoff, truncation = "shift", switchWidth = 1, skin = 1.5, exclude } = options;
  checkNumber(`make ${name}`, "cutoff", cutoff, POSITIVE);
  checkNumber(`make ${name}`, "skin", skin, POSITIVE);
  checkNumber(`make ${name}`, "switchWidth", switchWidth, POSITIVE);
  if (!["shift", "switch", "cut"].includes(truncation)) {
    throw new RangeError(
      `Cannot make ${name}: truncation must be shift, switch or cut; got ${truncation}`,
    );
  }
  if (truncation === "switch" && switchWidth >= cutoff) {
    throw new RangeError(
      `Cannot make ${name}: switchWidth must be below the cutoff ${cutoff}; got ${switchWidth}`,
    );
  }
  const exclusions = exclude && new Exclusions(name, exclude);
  return { cutoff, truncation, switchWidth, skin, exclusions };
}

/** Parameters of each element of a mixture, by symbol. */
export type BySymbol<P> = Readonly<Record<string, P>>;

/** The types of atoms that a model knows: `undefined` for all alike. */
export class AtomTypes {
  readonly #model: string;
  readonly #numbers: readonly number[] | undefined;

  /** Throws a RangeError for what is no element. */
  constructor(model: string, symbols: readonly string[] | undefined) {
    this.#model = model;
    this.#numbers = symbols?.map((symbol) => atomicNumber(symbol));
  }

  /** Number of types. */
  get count(): number {
    return this.#numbers?.length ?? 1;
  }

  /** The type of each atom of a batch, where there are several. Throws a RangeError that names an unknown one. */
  of(state: ResidentBatch): Int32Array | undefined {
    const known = this.#numbers;
    if (known === undefined) return undefined;
    const { batch } = state;
    const numbers = valuesOf(state, "numbers");
    const types = numbers.map((number) => known.indexOf(number));
    const unknown = types.indexOf(-1);
    if (unknown === -1) return known.length === 1 ? undefined : Int32Array.from(types);
    const system = batch.systemOfNode[unknown]!;
    throw new RangeError(
      `Cannot use ${this.#model}: it must have parameters of every element, and it has those of ` +
        `${known.map(atomicSymbol).join(", ")}: atom ${
          unknown - batch.nodeOffsets[system]!
        } of system ${system} is ${atomicSymbol(numbers[unknown]!)}`,
    );
  }
}

/** The arguments that all pair potentials have. */
export interface PairArguments {
  readonly pairs: Pairs;
  readonly positions: Buffer<"real">;
  readonly cell: Buffer<"real">;
  readonly images: Buffer<"i32"> | undefined;
  readonly species: Buffer<"i32"> | undefined;
  readonly parameters: Buffer<"real">;
  readonly forces: Buffer<"real">;
  readonly energy: Buffer<"f64">;
  readonly virial: Buffer<"f64">;
  readonly switchWidth: number;
  readonly want: number;
}

/** Returns the arguments of a pair potential on a batch. `table`: one row per ordered pair of types. */
export function pairArguments(
  state: ResidentBatch,
  { cutoff, skin, truncation, switchWidth, exclusions }: CheckedPairOptions,
  types: AtomTypes,
  table: ArrayLike<number>,
): (wanted: Wanted) => PairArguments {
  const pairs = state.pairs({ cutoff, skin });
  const own = types.of(state);
  const rows = exclusions?.rows(state, own) ?? own;
  const species = rows && state.constants("i32", rows, "node");
  const parameters = state.constants("real", table, "all");
  return (wanted) => ({
    pairs,
    positions: state.field("positions"),
    cell: state.field("cell"),
    images: state.images,
    species,
    parameters,
    ...outputsOf(state),
    switchWidth: truncation === "switch" ? switchWidth : 0,
    want: wantOf(wanted),
  });
}

/** The bits that kernels know. */
export function wantOf({ energy, stress }: Wanted): number {
  return (energy ? Want.ENERGY : 0) | (stress ? Want.VIRIAL : 0);
}
