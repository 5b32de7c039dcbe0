import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  forces: "real",
  fmax: "f64 changed",
  cellForces: "real optional",
} as const;

/**
 * The largest force on an atom of each system: max |F|, eV/Å; NaN if any force is not a number. With `cellForces`, nine
 * numbers per system, the cell counts as one more atom with nine coordinates.
 */
export const fmax: Kernel<typeof args> = defineKernel(
  "fmax",
  args,
  ({ forces, fmax, cellForces }, { systems, offsets }) => {
    for (let s = 0; s < systems; s++) {
      let square = 0;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) {
        const [x, y, z] = [forces[k]!, forces[k + 1]!, forces[k + 2]!];
        square = Math.max(square, x * x + y * y + z * z);
      }
      if (cellForces !== undefined) {
        let ofCell = 0;
        for (let k = 9 * s; k < 9 * s + 9; k++) ofCell += cellForces[k]! * cellForces[k]!;
        square = Math.max(square, ofCell);
      }
      fmax[s] = Math.sqrt(square);
    }
  },
);
