import { defineKernel, type Kernel } from "../kernel.ts";
import { PAIR_ARGS, type PairFunction, sumPairs } from "./sum_pairs.ts";

/** E = c₁₂/r¹² − c₆/r⁶ − E₀, and −E′/r = (12 c₁₂/r⁶ − 6 c₆)/r⁸. */
const pair: PairFunction = {
  width: 4,
  at(square, parameters, at, out) {
    const [c12, c6] = [parameters[at]!, parameters[at + 1]!];
    const i2 = 1 / square;
    const i6 = i2 * i2 * i2;
    out[0] = (c12 * i6 - c6) * i6 - parameters[at + 3]!;
    out[1] = (12 * c12 * i6 - 6 * c6) * i6 * i2;
  },
};

/**
 * Adds forces, energies and virials of Lennard-Jones pairs: E = 4ε((σ/r)¹² − (σ/r)⁶) below a cutoff.
 *
 * `parameters`: four numbers per ordered pair of types (row: type of the one atom, column: of the other):
 * 4εσ¹², 4εσ⁶, the squared cutoff, and the energy that is taken off each pair (0, or the energy at the cutoff).
 * `species`: the type of each atom, from 0; not read where there is one type. `switchWidth`: above 0, energies are
 * multiplied by 1 − 10x³ + 15x⁴ − 6x⁵ over so many Å before the cutoff. `want`: the bits of {@linkcode Want};
 * forces are the same with any of them. Virial W = Σ f ⊗ r: the stress is −W/V.
 */
export const lennardJones: Kernel<typeof PAIR_ARGS> = defineKernel(
  "lennard_jones",
  PAIR_ARGS,
  (values, frame) => sumPairs(values, frame, pair),
);
