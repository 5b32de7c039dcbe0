import {
  type PairPotentialMaker,
  pairPotentialOf,
  type PairPotentialOptions,
} from "./pair_potential.ts";
import type { PairMixture } from "./pair_parameters.ts";

/** The parameters of a Lennard-Jones pair. */
export interface LennardJonesPair {
  /** The depth of the well, eV. */
  readonly epsilon: number;
  /** The distance at which the energy is 0, Å. */
  readonly sigma: number;
}

/**
 * Mixing rule for the parameters of two unlike atoms: ε = √(ε₁ε₂) with σ = (σ₁ + σ₂)/2 (`"lorentz-berthelot"`) or σ =
 * √(σ₁σ₂) (`"geometric"`).
 */
export type LennardJonesMixing = "lorentz-berthelot" | "geometric";

/** Options of {@linkcode lennardJones}. */
export type LennardJonesOptions = PairPotentialOptions<LennardJonesPair, LennardJonesMixing>;

/** Lennard-Jones parameters of several elements. */
export type LennardJonesMixture = PairMixture<LennardJonesPair, LennardJonesMixing>;

/**
 * The Lennard-Jones potential, E = Σ 4ε((σ/r)¹² − (σ/r)⁶). The sum is over all pairs within the cutoff, including
 * periodic images.
 *
 * J. E. Lennard-Jones, Proc. R. Soc. Lond. A 106, 463 (1924).
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
export const lennardJones: PairPotentialMaker<LennardJonesPair, LennardJonesMixing> =
  pairPotentialOf(
    "lennard_jones",
    {
      name: "Lennard-Jones",
      parameters: { epsilon: "nonnegative", sigma: "positive" },
      mixing: {
        "lorentz-berthelot": { epsilon: "geometric", sigma: "arithmetic" },
        geometric: { epsilon: "geometric", sigma: "geometric" },
      },
      energy: (r, { epsilon, sigma }) => {
        const power6 = sigma.div(r).pow(6);
        return epsilon.mul(4).mul(power6.pow(2).sub(power6));
      },
    },
  );
