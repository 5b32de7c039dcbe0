import { call } from "../../backend/backend.ts";
import { lennardJones as kernel } from "../../kernels/pairs/lennard_jones.ts";
import type { Model } from "../model.ts";
import {
  AtomTypes,
  type BySymbol,
  checkPairOptions,
  pairArguments,
  type PairOptions,
  positive,
} from "./pair_options.ts";

/** The two parameters of a Lennard-Jones pair. */
export interface LennardJonesPair {
  /** The depth of the well, eV. */
  readonly epsilon: number;
  /** The distance at which the energy is 0, Å. */
  readonly sigma: number;
}

/** What a Lennard-Jones potential is made of: one pair of parameters for all atoms, or several by element. */
export type LennardJonesOptions = PairOptions & (LennardJonesPair | LennardJonesMixture);

/** The parameters of several elements. */
export interface LennardJonesMixture {
  /** Element → its parameters. */
  readonly species: BySymbol<LennardJonesPair>;
  /**
   * How unlike atoms come by theirs: ε = √(ε₁ε₂) and σ = (σ₁ + σ₂)/2, or σ = √(σ₁σ₂).
   *
   * @default "lorentz-berthelot"
   */
  readonly mixing?: "lorentz-berthelot" | "geometric";
  /** Pairs that do not mix, as `"Ar-Kr"`. */
  readonly pairs?: BySymbol<LennardJonesPair>;
}

/**
 * The Lennard-Jones potential, E = Σ 4ε((σ/r)¹² − (σ/r)⁶) over all pairs below the cutoff, images included: a kernel,
 * with energies, forces and stresses.
 *
 * Throws a TypeError or RangeError that names the parameter that is wrong.
 *
 * @example
 * ```ts
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const argon = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const mixture = lennardJones({
 *   species: { Ar: { epsilon: 0.0104, sigma: 3.4 }, Kr: { epsilon: 0.0140, sigma: 3.65 } },
 *   cutoff: 9,
 *   truncation: "switch",
 * });
 * console.log(argon.name, mixture.gives);
 * ```
 */
export function lennardJones(options: LennardJonesOptions): Model {
  const checked = checkPairOptions(NAME, options, OWN);
  const symbols = "species" in options ? Object.keys(options.species) : undefined;
  const types = new AtomTypes(NAME, symbols);
  const rows = "species" in options ? mixed(options, symbols!) : [checkedPair("", options)];
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

const NAME = "a Lennard-Jones potential";
const OWN = ["epsilon", "sigma", "species", "mixing", "pairs"];

/** 4εσ¹², 4εσ⁶, the squared cutoff, the energy taken off each pair. */
function row({ epsilon, sigma }: LennardJonesPair, cutoff: number, isShifted: boolean): number[] {
  const c6 = 4 * epsilon * sigma ** 6, c12 = c6 * sigma ** 6;
  const i6 = cutoff ** -6;
  return [c12, c6, cutoff * cutoff, isShifted ? (c12 * i6 - c6) * i6 : 0];
}

function checkedPair(of: string, { epsilon, sigma }: LennardJonesPair): LennardJonesPair {
  positive(NAME, `epsilon${of}`, epsilon);
  positive(NAME, `sigma${of}`, sigma);
  return { epsilon, sigma };
}

function mixed(
  { species, pairs = {}, mixing = "lorentz-berthelot" }: LennardJonesMixture,
  symbols: readonly string[],
): LennardJonesPair[] {
  if (symbols.length === 0) {
    throw new RangeError(
      `Cannot make ${NAME} as species must name an element or more: current value is {}`,
    );
  }
  if (mixing !== "lorentz-berthelot" && mixing !== "geometric") {
    throw new RangeError(
      `Cannot make ${NAME} as mixing must be lorentz-berthelot or geometric: current value is ${mixing}`,
    );
  }
  const own = new Map(symbols.map((a) => [a, checkedPair(` of ${a}`, species[a]!)]));
  const given = new Map(
    Object.entries(pairs).map(([pair, parameters]) => {
      const [a, b, ...rest] = pair.split("-");
      if (own.has(a!) && own.has(b!) && rest.length === 0) {
        return [[a, b].sort().join("-"), checkedPair(` of ${pair}`, parameters)];
      }
      throw new RangeError(
        `Cannot make ${NAME} as pairs must be named by two of ${symbols.join(", ")}, as in "${
          symbols[0]
        }-${symbols.at(-1)}": current value is ${JSON.stringify(pair)}`,
      );
    }),
  );
  return symbols.flatMap((a) =>
    symbols.map((b) => given.get([a, b].sort().join("-")) ?? mix(own.get(a)!, own.get(b)!, mixing))
  );
}

function mix(a: LennardJonesPair, b: LennardJonesPair, mixing: string): LennardJonesPair {
  return {
    epsilon: Math.sqrt(a.epsilon * b.epsilon),
    sigma: mixing === "geometric" ? Math.sqrt(a.sigma * b.sigma) : (a.sigma + b.sigma) / 2,
  };
}
