import { defineKernel, type Kernel } from "../kernel.ts";
import { PAIR_ARGS, type PairFunction, sumPairs } from "./sum_pairs.ts";

/** With q = exp(−a(r − r₀)): E = D (q² − 2q) − E₀, and −E′/r = 2aD (q² − q)/r. */
const pair: PairFunction = {
  width: 5,
  at(square, parameters, at, out) {
    const [depth, a, r0] = [parameters[at]!, parameters[at + 1]!, parameters[at + 2]!];
    const r = Math.sqrt(square);
    const q = Math.exp(-a * (r - r0));
    out[0] = depth * q * (q - 2) - parameters[at + 4]!;
    out[1] = 2 * a * depth * q * (q - 1) / r;
  },
};

/**
 * Adds forces, energies and virials of Morse pairs: E = D((1 − exp(−a(r − r₀)))² − 1) below a cutoff.
 *
 * `parameters`: five numbers per ordered pair of types: D (eV), a (1/Å), r₀ (Å), the squared cutoff, and the energy
 * that is taken off each pair (0, or the energy at the cutoff). All else as in {@linkcode lennardJones}.
 */
export const morse: Kernel<typeof PAIR_ARGS> = defineKernel(
  "morse",
  PAIR_ARGS,
  (values, frame) => sumPairs(values, frame, pair),
);
