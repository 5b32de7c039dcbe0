import { type PairPotentialMaker, pairPotentialOf } from "./pair_potential.ts";

/** The parameters of a Buckingham pair. */
export interface BuckinghamPair {
  /** A, the strength of the repulsion, eV. */
  readonly strength: number;
  /** ρ, the distance over which the repulsion falls by a factor of e, Å. */
  readonly length: number;
  /** C, the strength of the dispersion, eV Å⁶. */
  readonly dispersion: number;
}

/**
 * The Buckingham potential, E = Σ A exp(−r/ρ) − C/r⁶. The sum is over all pairs within the cutoff, including periodic
 * images. The energy falls without bound at short distances, where the potential must not be used.
 *
 * R. A. Buckingham, Proc. R. Soc. Lond. A 168, 264 (1938).
 *
 * @example
 * ```ts
 * import { buckingham } from "@hooke/hooke/models";
 *
 * // Silica without charges: B. W. H. van Beest et al., Phys. Rev. Lett. 64, 1955 (1990).
 * const silica = buckingham({
 *   pairs: {
 *     "Si-Si": { strength: 0, length: 1, dispersion: 0 },
 *     "Si-O": { strength: 18003.7572, length: 0.205205, dispersion: 133.5381 },
 *     "O-O": { strength: 1388.773, length: 0.362319, dispersion: 175 },
 *   },
 *   cutoff: 8,
 * });
 * console.log(silica.name);
 * ```
 */
export const buckingham: PairPotentialMaker<BuckinghamPair, "geometric"> = pairPotentialOf(
  undefined,
  {
    name: "Buckingham",
    parameters: { strength: "nonnegative", length: "positive", dispersion: "nonnegative" },
    mixing: { geometric: { strength: "geometric", length: "arithmetic", dispersion: "geometric" } },
    energy: (r, { strength, length, dispersion }) =>
      strength.mul(r.div(length).neg().exp()).sub(dispersion.div(r.pow(6))),
  },
);
