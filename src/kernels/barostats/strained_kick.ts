import { makeStrain, solveStrain } from "../cells/strain.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  velocities: "real changed",
  forces: "real",
  weights: "real",
  dt: "real",
  rate: "f64",
  freedom: "i32",
} as const;

const strain = makeStrain();

/**
 * Kicks the atoms over half a step in a cell that is being strained. Solves v̇ = w F − (ν + Tr ν/f)
 * v over ½ dt exactly for a constant force and a constant rate of strain.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | v, F | `velocities`, `forces` | Å/fs, eV/Å |
 * | w | `weights`: ACCELERATION / mass per atom; 0 for an atom that cannot move | Å²/(fs² eV) |
 * | dt | `dt`, per system | fs |
 * | ν | `rate`: of strain, nine per system, symmetric | 1/fs |
 * | f | `freedom`: degrees of freedom, per system | |
 */
export const strainedKick: Kernel<typeof args> = defineKernel(
  "strained_kick",
  args,
  (values, { systems, offsets, active }) => {
    const { velocities, forces, weights, dt, rate, freedom } = values;
    const { total, grow, push } = strain;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const time = dt[s]! / 2, f = freedom[s]!;
      const trace = rate[9 * s]! + rate[9 * s + 4]! + rate[9 * s + 8]!;
      const all = f > 0 ? trace / f : 0;
      for (let k = 0; k < 9; k++) total[k] = -time * (rate[9 * s + k]! + (k % 4 === 0 ? all : 0));
      solveStrain(strain, time);
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const at = 3 * a, w = weights[a]!;
        const [x, y, z] = [velocities[at]!, velocities[at + 1]!, velocities[at + 2]!];
        const [u, v, t] = [w * forces[at]!, w * forces[at + 1]!, w * forces[at + 2]!];
        for (let i = 0; i < 3; i++) {
          const k = 3 * i;
          velocities[at + i]! += grow[k]! * x + grow[k + 1]! * y + grow[k + 2]! * z +
            (push[k]! * u + push[k + 1]! * v + push[k + 2]! * t);
        }
      }
    }
  },
);
