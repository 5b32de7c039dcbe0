import { completedRows, signedVolume } from "./inverse.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  cell: "real changed",
  positions: "real changed",
  velocities: "real changed",
  forces: "real changed",
  pbc: "i32",
} as const;

const axes = new Float64Array(9);

/**
 * Rotates systems so that the first lattice vector is along x and the second in the xy plane: h = h R, x = x R, v = v
 * R, F = F R. The matrix of the cell becomes lower triangular. R is a proper rotation, so a left-handed cell stays
 * left-handed, and its last number is negative. Systems without a periodic direction or without a cell are skipped.
 * Systems that are already aligned stay bitwise identical.
 */
export const alignCells: Kernel<typeof args> = defineKernel(
  "align_cells",
  args,
  ({ cell, positions, velocities, forces, pbc }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      const isPeriodic = pbc[3 * s] !== 0 || pbc[3 * s + 1] !== 0 || pbc[3 * s + 2] !== 0;
      if (active[s] === 0 || !isPeriodic || isAligned(cell, 9 * s)) continue;
      if (!findAxes(cell, 9 * s)) continue;
      for (let k = 9 * s; k < 9 * s + 9; k += 3) turn(cell, k);
      cell[9 * s + 1] = cell[9 * s + 2] = cell[9 * s + 5] = 0;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) {
        turn(positions, k);
        turn(velocities, k);
        turn(forces, k);
      }
    }
  },
);

type Real = Float32Array | Float64Array;

function isAligned(cell: Real, at: number): boolean {
  return cell[at + 1] === 0 && cell[at + 2] === 0 && cell[at + 5] === 0 &&
    cell[at]! >= 0 && cell[at + 4]! >= 0;
}

/**
 * Writes the new x, y and z axes to the rows of `axes`. Returns false if the cell that begins at index `at` has no
 * volume.
 */
function findAxes(cell: Real, at: number): boolean {
  const rows = completedRows(cell, at);
  if (!(Math.abs(signedVolume(rows, 0)) > 0)) return false;
  const length = Math.hypot(rows[0]!, rows[1]!, rows[2]!);
  for (let i = 0; i < 3; i++) axes[i] = rows[i]! / length;
  const along = axes[0]! * rows[3]! + axes[1]! * rows[4]! + axes[2]! * rows[5]!;
  for (let i = 0; i < 3; i++) axes[3 + i] = rows[3 + i]! - along * axes[i]!;
  const across = Math.hypot(axes[3]!, axes[4]!, axes[5]!);
  for (let i = 3; i < 6; i++) axes[i]! /= across;
  axes[6] = axes[1]! * axes[5]! - axes[2]! * axes[4]!;
  axes[7] = axes[2]! * axes[3]! - axes[0]! * axes[5]!;
  axes[8] = axes[0]! * axes[4]! - axes[1]! * axes[3]!;
  return true;
}

/** Rotates the vector that begins at index `k` to the new axes. */
function turn(vectors: Real, k: number): void {
  const [x, y, z] = [vectors[k]!, vectors[k + 1]!, vectors[k + 2]!];
  for (let i = 0; i < 3; i++) {
    vectors[k + i] = x * axes[3 * i]! + y * axes[3 * i + 1]! + z * axes[3 * i + 2]!;
  }
}
