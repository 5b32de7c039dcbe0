import { makeStrain, solveStrain } from "../cells/strain.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { addTo } from "../measure/add_to.ts";

const args = {
  positions: "real changed",
  velocities: "real",
  cell: "real changed",
  dt: "real",
  rate: "f64",
  low: "real optional",
  cellLow: "f64 changed",
} as const;

const strain = makeStrain(), row = new Float64Array(3);

/**
 * Moves the atoms and the cell over dt in a cell that is being strained. Solves ẋ = v + ν x and ḣ =
 * h ν exactly for constant velocities and a constant rate of strain.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | x, v | `positions`, `velocities` | Å, Å/fs |
 * | h | `cell`: nine per system, lattice vectors as rows; `cellLow`: its accumulated rounding error | Å |
 * | dt | `dt`, per system | fs |
 * | ν | `rate`: of strain, nine per system, symmetric | 1/fs |
 *
 * `low`: as in `kick_drift`.
 */
export const strainedDrift: Kernel<typeof args> = defineKernel(
  "strained_drift",
  args,
  (values, { systems, offsets, active }) => {
    const { positions, velocities, cell, dt, rate, low, cellLow } = values;
    const { total, grow, push } = strain;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let k = 0; k < 9; k++) total[k] = dt[s]! * rate[9 * s + k]!;
      solveStrain(strain, dt[s]!);
      for (let h = 9 * s; h < 9 * s + 9; h += 3) grown(cell, cellLow, h);
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const at = 3 * a;
        const [x, y, z] = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
        const [u, v, w] = [velocities[at]!, velocities[at + 1]!, velocities[at + 2]!];
        for (let i = 0; i < 3; i++) {
          const k = 3 * i;
          const by = grow[k]! * x + grow[k + 1]! * y + grow[k + 2]! * z +
            (push[k]! * u + push[k + 1]! * v + push[k + 2]! * w);
          addTo(positions, low, at + i, by);
        }
      }
    }
  },
);

type Real = Float32Array | Float64Array;

/** Strains the lattice vector that begins at index `h`. */
function grown(cell: Real, low: Float64Array, h: number): void {
  const { grow } = strain;
  for (let i = 0; i < 3; i++) row[i] = cell[h + i]! + low[h + i]!;
  for (let i = 0; i < 3; i++) {
    const by = grow[3 * i]! * row[0]! + grow[3 * i + 1]! * row[1]! + grow[3 * i + 2]! * row[2]!;
    addTo(cell, low, h + i, by);
  }
}
