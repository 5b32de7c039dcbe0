import { deformation, inverted, strainLength } from "./deformation.ts";
import { product } from "./product.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  cell: "real changed",
  moved: "real changed",
  strained: "real changed",
  strain: "real changed",
  reference: "real changed",
} as const;

/**
 * Moves atoms and cells by displacements that were computed in the coordinates of the undeformed cell (see
 * `strain_forces`). With F = 1 + q/κ before the move and F′ = 1 + q′/κ after it, where q′ = q + δq, the kernel sets x
 * = x + x F⁻¹ (F′ − F) + δu F′ and h = h₀ F′.
 *
 * - `moved` δu: three numbers per atom, Å. The kernel sets them to zero afterwards.
 * - `strained` δq: nine numbers per system, Å. The kernel sets them to zero afterwards.
 * - `strain` q: nine numbers per system, Å.
 * - `reference`: h₀ and h, 18 numbers per system, Å.
 */
export const deform: Kernel<typeof args> = defineKernel(
  "deform",
  args,
  ({ positions, cell, moved, strained, strain, reference }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const length = strainLength(offsets[s + 1]! - offsets[s]!);
      const before = inverted(deformation(strain, 9 * s, length));
      const change = strained.slice(9 * s, 9 * s + 9).map((x) => x / length);
      for (let k = 9 * s; k < 9 * s + 9; k++) {
        strain[k]! += strained[k]!;
        strained[k] = 0;
      }
      const after = deformation(strain, 9 * s, length);
      const turn = product(before, change, new Float64Array(9));
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) {
        const [x, y, z] = [positions[k]!, positions[k + 1]!, positions[k + 2]!];
        const [u, v, w] = [moved[k]!, moved[k + 1]!, moved[k + 2]!];
        for (let i = 0; i < 3; i++) {
          positions[k + i]! += x * turn[i]! + y * turn[3 + i]! + z * turn[6 + i]! +
            (u * after[i]! + v * after[3 + i]! + w * after[6 + i]!);
          moved[k + i] = 0;
        }
      }
      const first = reference.subarray(18 * s, 18 * s + 9);
      const now = product(first, after, new Float64Array(9));
      for (let k = 0; k < 9; k++) {
        cell[9 * s + k] = now[k]!;
        reference[18 * s + 9 + k] = cell[9 * s + k]!;
      }
    }
  },
);
