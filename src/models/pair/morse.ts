import { call } from "../../backend/backend.ts";
import { morse as kernel } from "../../kernels/pairs/morse.ts";
import type { Model } from "../model.ts";
import {
  AtomTypes,
  type BySymbol,
  checkPairOptions,
  pairArguments,
  type PairOptions,
  positive,
} from "./pair_options.ts";

/** The three parameters of a Morse pair. */
export interface MorsePair {
  /** D, the depth of the well, eV. */
  readonly depth: number;
  /** a, the inverse width of the well, 1/Å. */
  readonly width: number;
  /** r₀, the distance at the bottom, Å. */
  readonly distance: number;
}

/** What a Morse potential is made of: one triple for all atoms, or one for each pair of elements. */
export type MorseOptions =
  & PairOptions
  & (MorsePair | {
    /** Two elements → their parameters, as `"Cu-Ni"`: every pair of the elements that occur. */
    readonly pairs: BySymbol<MorsePair>;
  });

/**
 * The Morse potential, E = Σ D((1 − exp(−a(r − r₀)))² − 1) over all pairs below the cutoff, images included: a kernel,
 * with energies, forces and stresses.
 *
 * Throws a TypeError or RangeError that names the parameter that is wrong.
 *
 * @example
 * ```ts
 * import { morse } from "@hooke/hooke/models";
 *
 * const copper = morse({ depth: 0.3429, width: 1.3588, distance: 2.866, cutoff: 8 });
 * console.log(copper.name);
 * ```
 */
export function morse(options: MorseOptions): Model {
  const checked = checkPairOptions(NAME, options, OWN);
  const { types, rows } = "pairs" in options
    ? byPair(options.pairs)
    : { types: new AtomTypes(NAME, undefined), rows: [checkedPair("", options)] };
  const table = rows.flatMap((pair) => row(pair, checked.cutoff, checked.truncation === "shift"));
  return {
    name: NAME,
    gives: ["energy", "forces", "stress"],
    open(state) {
      const args = pairArguments(state, checked, types, table);
      return { calls: (wanted) => [call(kernel, args(wanted))] };
    },
  };
}

const NAME = "a Morse potential";
const OWN = ["depth", "width", "distance", "pairs"];

/** D, a, r₀, the squared cutoff, the energy taken off each pair. */
function row({ depth, width, distance }: MorsePair, cutoff: number, isShifted: boolean): number[] {
  const q = Math.exp(-width * (cutoff - distance));
  return [depth, width, distance, cutoff * cutoff, isShifted ? depth * q * (q - 2) : 0];
}

function checkedPair(of: string, { depth, width, distance }: MorsePair): MorsePair {
  positive(NAME, `depth${of}`, depth);
  positive(NAME, `width${of}`, width);
  positive(NAME, `distance${of}`, distance);
  return { depth, width, distance };
}

function byPair(pairs: BySymbol<MorsePair>): { types: AtomTypes; rows: MorsePair[] } {
  const given = new Map(
    Object.entries(pairs).map(([name, pair]) => [
      name.split("-").sort().join("-"),
      checkedPair(` of ${name}`, pair),
    ]),
  );
  const symbols = [...new Set([...given.keys()].flatMap((name) => name.split("-")))];
  const rows = symbols.flatMap((a) =>
    symbols.map((b) => {
      const pair = given.get([a, b].sort().join("-"));
      if (pair !== undefined) return pair;
      throw new RangeError(
        `Cannot make ${NAME} as pairs must have every pair of its elements: ${a}-${b} is missing`,
      );
    })
  );
  return { types: new AtomTypes(NAME, symbols), rows };
}
