import { type PairPotentialMaker, pairPotentialOf } from "./pair_potential.ts";

/** The parameters of a Yukawa pair. */
export interface YukawaPair {
  /** A, the strength, eV Å. It is positive if the atoms repel each other. */
  readonly strength: number;
  /** κ, the inverse screening length, 1/Å. */
  readonly kappa: number;
}

/**
 * The Yukawa (screened Coulomb) potential, E = Σ A exp(−κr)/r. The sum is over all pairs within the cutoff, including
 * periodic images.
 *
 * H. Yukawa, Proc. Phys.-Math. Soc. Jpn. 17, 48 (1935).
 *
 * @example
 * ```ts
 * import { yukawa } from "@hooke/hooke/models";
 *
 * const colloid = yukawa({ strength: 2.5, kappa: 0.8, cutoff: 12 });
 * console.log(colloid.name);
 * ```
 */
export const yukawa: PairPotentialMaker<YukawaPair> = pairPotentialOf(undefined, {
  name: "Yukawa",
  parameters: { strength: "any", kappa: "nonnegative" },
  energy: (r, { strength, kappa }) => strength.mul(kappa.mul(r).neg().exp()).div(r),
});
