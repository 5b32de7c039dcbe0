import { atomicNumber } from "../../batch/elements.ts";
import type { Model } from "../model.ts";
import type { PairOptions } from "./pair_options.ts";
import { pairPotentialOf } from "./pair_potential.ts";

/** Options of {@linkcode zbl}. */
export interface ZblOptions extends PairOptions {
  /** Symbols of the elements that occur, such as `"Si"`. */
  readonly elements: readonly string[];
}

/** Coulomb constant e²/(4πε₀), eV Å. */
const COULOMB = 14.399645;

/** Coefficients c and d of the terms c exp(−d r/a) of the screening function. */
const SCREENING = [
  [0.18175, 3.1998],
  [0.50986, 0.94229],
  [0.28022, 0.4029],
  [0.02817, 0.20162],
] as const;

/**
 * The potential with the parameters Z and Z⁰·²³, whose mixing rules give √(Z₁Z₂)² = Z₁Z₂ and 1/a = 2 · (Z₁⁰·²³ +
 * Z₂⁰·²³)/2 / 0.4685.
 */
const nuclear = pairPotentialOf(undefined, {
  name: "ZBL",
  parameters: { charge: "positive", power: "positive" },
  mixing: { universal: { charge: "geometric", power: "arithmetic" } },
  energy: (r, { charge, power }) => {
    const x = r.mul(power).mul(2 / 0.4685);
    const [first, ...others] = SCREENING.map(([c, d]) => x.mul(-d).exp().mul(c));
    const screening = others.reduce((sum, term) => sum.add(term), first!);
    return charge.pow(2).mul(COULOMB).div(r).mul(screening);
  },
});

/**
 * The universal repulsion of nuclei at short distances (ZBL), E = Σ e²Z₁Z₂/(4πε₀r) φ(r/a). The sum is over all pairs
 * within the cutoff, including periodic images. The screening length is a = 0.4685/(Z₁⁰·²³ + Z₂⁰·²³) Å, and the
 * screening function is φ(x) = 0.18175 e^(−3.1998x) + 0.50986 e^(−0.94229x) + 0.28022 e^(−0.4029x) + 0.02817
 * e^(−0.20162x).
 *
 * J. F. Ziegler, J. P. Biersack, U. Littmark, The Stopping and Range of Ions in Matter, vol. 1 (Pergamon, 1985).
 *
 * @throws {TypeError | RangeError} if an option is wrong; the message names it
 *
 * @example
 * ```ts
 * import { morse, sum, zbl } from "@hooke/hooke/models";
 *
 * const repulsion = zbl({ elements: ["Cu"], cutoff: 2, truncation: "switch", switchWidth: 0.5 });
 * const copper = sum(morse({ depth: 0.3429, width: 1.3588, distance: 2.866, cutoff: 8 }), repulsion);
 * console.log(copper.name);
 * ```
 */
export function zbl(options: ZblOptions): Model {
  const { elements, ...others } = options;
  const species = elements.map((symbol) => {
    const charge = atomicNumber(symbol);
    return [symbol, { charge, power: charge ** 0.23 }];
  });
  return nuclear({ ...others, species: Object.fromEntries(species) });
}
