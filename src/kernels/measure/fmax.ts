import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  forces: "real",
  fmax: "f64 changed",
  cellForces: "real optional",
  stage: "i32 optional",
  drives: "i32 optional",
} as const;

/**
 * Computes the largest force on an atom of each system: max |F|, eV/Å; NaN if a force is NaN. With `cellForces`, nine
 * numbers per system, the cell counts as one more atom with nine coordinates.
 *
 * In a run with several stages, the cell counts only if the entry of `drives` for the `stage` of the system is
 * nonzero. For systems beyond the last stage, the entry of the last stage applies. Finished systems are measured,
 * too, because hooks may read them.
 */
export const fmax: Kernel<typeof args> = defineKernel(
  "fmax",
  args,
  ({ forces, fmax, cellForces, stage, drives }, { systems, offsets }) => {
    for (let s = 0; s < systems; s++) {
      let square = 0;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) {
        const [x, y, z] = [forces[k]!, forces[k + 1]!, forces[k + 2]!];
        square = Math.max(square, x * x + y * y + z * z);
      }
      const at = drives === undefined ? 0 : Math.min(stage![s]!, drives.length - 1);
      if (cellForces !== undefined && (drives === undefined || drives[at] !== 0)) {
        let ofCell = 0;
        for (let k = 9 * s; k < 9 * s + 9; k++) ofCell += cellForces[k]! * cellForces[k]!;
        square = Math.max(square, ofCell);
      }
      fmax[s] = Math.sqrt(square);
    }
  },
);
