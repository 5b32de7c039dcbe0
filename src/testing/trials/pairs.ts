/** Trials of kernels for pair lists and pair potentials. */
import { call } from "../../backend/backend.ts";
import { lennardJones } from "../../models/pair/lennard_jones.ts";
import { morse } from "../../models/pair/morse.ts";
import { pairPotential } from "../../models/pair/pair_potential.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import type { PairKernel } from "../../kernels/pairs/pair_potential.ts";
import type { Trial, Trials } from "../trial.ts";
import { sumsOf } from "./sums.ts";

/** Settings of a trial of a pair potential. */
interface PairTrial {
  readonly kernel: PairKernel;
  /** One row of parameters, or one for each of the four ordered pairs of two types. */
  readonly rows: readonly (readonly number[])[];
  /** Width of the switching region, Å. */
  readonly switchWidth: number;
  /** True if positions are wrapped first. */
  readonly isWrapped: boolean;
}

/** Sets up a potential with a cutoff of 5 Å, in cells that may be smaller than that. */
function potential({ kernel, rows, switchWidth, isWrapped }: PairTrial): Trial {
  return (world) => {
    const { lab } = world;
    const [positions, cell] = [world.atom("positions"), world.system("cell")];
    const pairs = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
    const looks = { ...sumsOf(world) };
    const images = isWrapped ? world.whole("images") : undefined;
    const place = { pairs, positions, cell, images };
    const table = {
      species: rows.length > 1 ? world.whole("species") : undefined,
      parameters: lab.real(rows.flat().map(Math.fround), "all"),
    };
    const args = { ...place, ...table, ...looks, switchWidth, want: 3 };
    return {
      calls: [call(neighbors, { ...place, pbc: world.whole("pbc") }), call(kernel, args)],
      looks,
    };
  };
}

/** Returns a row of parameters: 4εσ¹², 4εσ⁶, the squared cutoff, and the energy subtracted from each pair. */
function row(epsilon: number, sigma: number, shift: number): number[] {
  return [4 * epsilon * sigma ** 12, 4 * epsilon * sigma ** 6, 25, shift];
}

/** A potential without a handwritten kernel. */
const steep = pairPotential({
  name: "steep",
  parameters: { strength: "positive", length: "positive" },
  energy: (r, { strength, length }) => strength.mul(r.div(length).neg().exp()).sub(r.pow(-6)),
});

/** Trials of pair lists and pair potentials, by kernel. */
export const PAIRS: Trials = {
  neighbors: potential({
    kernel: lennardJones.kernel,
    rows: [[1, 1, 25, 0]],
    switchWidth: 1,
    isWrapped: true,
  }),
  lennard_jones: potential({
    kernel: lennardJones.kernel,
    rows: [row(0.01, 3.1, 1e-3), row(0.013, 3, 0), row(0.013, 3, 0), row(0.02, 2.9, 1e-3)],
    switchWidth: 1,
    isWrapped: true,
  }),
  pair_potential: potential({
    kernel: steep.kernel,
    rows: [
      steep.row({ strength: 40, length: 0.4 }, 5, true),
      steep.row({ strength: 50, length: 0.3 }, 5, true),
      steep.row({ strength: 50, length: 0.3 }, 5, true),
      steep.row({ strength: 60, length: 0.35 }, 5),
    ],
    switchWidth: 1,
    isWrapped: true,
  }),
  morse: potential({
    // The potential is 0 at the cutoff, because rounding decides which pairs are within it.
    kernel: morse.kernel,
    rows: [morse.row({ depth: 0.02, width: 5, distance: 3 }, 5)],
    switchWidth: 0,
    isWrapped: false,
  }),
};
