/**
 * Options that all pair potentials share (cutoff, truncation, exclusions), and the types of atoms.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import type { Buffer, Pairs } from "../../backend/backend.ts";
import { Want } from "../../kernels/pairs/sum_pairs.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { checkOptions } from "../../base/check_options.ts";
import { atomicNumber, atomicSymbol } from "../../batch/elements.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { systemName } from "../../batch/store.ts";
import { Exclusions, type PairExclusions } from "./pair_exclusions.ts";
import { outputsOf, valuesOf, type Wanted } from "../model.ts";

/** Options that all pair potentials share. */
export interface PairOptions {
  /** Cutoff radius in Å. Atoms that are farther apart do not interact. */
  readonly cutoff: number;
  /**
   * Truncation at the cutoff. `"shift"` subtracts the energy at the cutoff from each pair, so that the energy is
   * continuous. `"switch"` brings energy and force smoothly to zero over `switchWidth`. `"cut"` does not change the
   * energies within the cutoff.
   *
   * @default "shift"
   */
  readonly truncation?: "shift" | "switch" | "cut";
  /**
   * Width in Å of the range below the cutoff in which `"switch"` acts.
   *
   * @default 1
   */
  readonly switchWidth?: number;
  /**
   * Distance in Å beyond the cutoff up to which pairs are listed, so that the list need not be rebuilt at each step.
   * Its value changes results only by rounding.
   *
   * @default 1.5
   */
  readonly skin?: number;
  /**
   * Pairs of atoms that do not interact, or whose interaction is scaled, such as bonded atoms. A pair is
   * excluded only in its nearest image.
   *
   * @default undefined
   */
  readonly exclude?: PairExclusions;
}

/** Checked options of a pair potential. */
export interface CheckedPairOptions extends Required<Omit<PairOptions, "exclude">> {
  /** Excluded pairs; undefined if no pairs are excluded. */
  readonly exclusions: Exclusions | undefined;
}

/**
 * Checks the options of a pair potential, and applies defaults. Throws a TypeError or RangeError that names the wrong
 * option. `own` are the names of further options that this potential accepts.
 */
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
      `Cannot make ${name}: truncation must be "shift", "switch" or "cut"; got ${show(truncation)}`,
    );
  }
  if (truncation === "switch" && switchWidth >= cutoff) {
    throw new RangeError(
      `Cannot make ${name}: switchWidth must be below the cutoff, ${cutoff} Å; got ${switchWidth} Å`,
    );
  }
  const exclusions = exclude && new Exclusions(name, exclude);
  return { cutoff, truncation, switchWidth, skin, exclusions };
}

/** Parameters of each element, by symbol. */
export type BySymbol<P> = Readonly<Record<string, P>>;

/** The types of atoms that a potential distinguishes. Each element is a type. */
export class AtomTypes {
  readonly #model: string;
  readonly #numbers: readonly number[] | undefined;

  /**
   * Creates a type for each symbol. Without symbols, all atoms are of one type. Throws a RangeError if a symbol is
   * not an element.
   */
  constructor(model: string, symbols: readonly string[] | undefined) {
    this.#model = model;
    this.#numbers = symbols?.map((symbol) => atomicNumber(symbol));
  }

  /** Number of types. */
  get count(): number {
    return this.#numbers?.length ?? 1;
  }

  /**
   * Returns the type of each atom of a batch, which is an index in `symbols`; `undefined` if there is only one type.
   * Throws a RangeError that names an atom if the potential has no parameters for its element.
   */
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
      `Cannot use ${this.#model}: it must have parameters of every element; it has those of ` +
        `${known.map(atomicSymbol).join(", ")}, and atom ${
          unknown - batch.nodeOffsets[system]!
        } of system ${systemName(batch.infos, system)} is ${atomicSymbol(numbers[unknown]!)}`,
    );
  }
}

/** Arguments that all kernels of pair potentials take. */
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

/**
 * Uploads the parameters of a pair potential to the backend. Returns a function that gives the arguments of its
 * kernel for the wanted outputs. `table` has a row of parameters for each ordered pair of types.
 */
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

/** Returns the bits of `Want` for the wanted outputs. */
export function wantOf({ energy, stress }: Wanted): number {
  return (energy ? Want.ENERGY : 0) | (stress ? Want.VIRIAL : 0);
}
