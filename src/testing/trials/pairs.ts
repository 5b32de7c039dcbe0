/** Kernels that find pairs, and those of potentials of pairs. */
import { call } from "../../backend/backend.ts";
import { lennardJones } from "../../kernels/lennard_jones.ts";
import { morse } from "../../kernels/morse.ts";
import { neighbours } from "../../kernels/neighbours.ts";
import type { Trial, Trials } from "../trial.ts";
import { sumsOf } from "./sums.ts";

/** A potential of the pairs within 5 Å, in cells that may be smaller than that. */
function potential(kernel: typeof lennardJones | typeof morse, parameters: number[]): Trial {
  return (world) => {
    const { lab } = world;
    const [positions, cell] = [world.atom("positions"), world.system("cell")];
    const pairs = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
    const looks = { ...sumsOf(world) };
    const args = {
      ...{ pairs, positions, cell, images: undefined, species: undefined },
      ...{ parameters: lab.real(parameters.map(Math.fround)), ...looks, switchWidth: 1, want: 3 },
    };
    return {
      calls: [
        call(neighbours, { pairs, positions, cell, pbc: world.whole("pbc") }),
        call(kernel, args),
      ],
      looks,
    };
  };
}

/** Kernel → how it is tried. */
export const PAIRS: Trials = {
  neighbours: potential(lennardJones, [1, 1, 25, 0]),
  lennard_jones: potential(lennardJones, [4e-2 * 3.1 ** 12, 4e-2 * 3.1 ** 6, 25, 1e-3]),
  morse: potential(morse, [0.05, 1.4, 3.3, 25, 1e-3]),
};
