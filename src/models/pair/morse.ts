import {
  type PairPotentialMaker,
  pairPotentialOf,
  type PairPotentialOptions,
} from "./pair_potential.ts";

/** The parameters of a Morse pair. */
export interface MorsePair {
  /** D, the depth of the well, eV. */
  readonly depth: number;
  /** a, the inverse width of the well, 1/Å. */
  readonly width: number;
  /** r₀, the distance at which the energy is lowest, Å. */
  readonly distance: number;
}

/** Options of {@linkcode morse}. */
export type MorseOptions = PairPotentialOptions<MorsePair>;

/**
 * The Morse potential, E = Σ D((1 − exp(−a(r − r₀)))² − 1). The sum is over all pairs within the cutoff, including
 * periodic images.
 *
 * P. M. Morse, Phys. Rev. 34, 57 (1929).
 *
 * @example
 * ```ts
 * import { morse } from "@hooke/hooke/models";
 *
 * const copper = morse({ depth: 0.3429, width: 1.3588, distance: 2.866, cutoff: 8 });
 * console.log(copper.name);
 * ```
 */
export const morse: PairPotentialMaker<MorsePair> = pairPotentialOf("morse", {
  name: "Morse",
  parameters: { depth: "nonnegative", width: "positive", distance: "positive" },
  energy: (r, { depth, width, distance }) => {
    const q = width.mul(r.sub(distance)).neg().exp();
    return depth.mul(q).mul(q.sub(2));
  },
});
