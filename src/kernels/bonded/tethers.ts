import { unwrapped } from "../cells/unwrapped.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { Want } from "../pairs/sum_pairs.ts";

const args = {
  positions: "real",
  cell: "real optional",
  images: "i32 optional",
  anchors: "real",
  stiffness: "real",
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
  want: "number",
} as const;

/**
 * Adds springs between atoms and fixed points to forces, energy and virial: E = Σ ½ k |d|², F = −k d, W = Σ F ⊗ d
 * with d = x + n h − x₀. Like lattice sites, the points move with a strain of the system.
 *
 * - `anchors` x₀: the points, not wrapped, three numbers per atom, Å.
 * - `stiffness` k: eV/Å² per atom, 0 for an atom without a spring.
 * - `images` n and `cell` h: undo wrapping, so that wrapping an atom does not stretch its spring.
 * - `want`: bits of {@linkcode Want}.
 */
export const tethers: Kernel<typeof args> = defineKernel(
  "tethers",
  args,
  (values, { systems, offsets, active }) => {
    const { positions, cell, images, anchors, stiffness, forces, energy, virial, want } = values;
    const d = displacement;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        const k = stiffness[a]!;
        if (k === 0) continue;
        for (let i = 0; i < 3; i++) {
          d[i] = unwrapped(positions, a, i, images, cell, 9 * s) - anchors[3 * a + i]!;
        }
        const [x, y, z] = [d[0]!, d[1]!, d[2]!];
        for (let i = 0; i < 3; i++) forces[3 * a + i]! -= k * d[i]!;
        if ((want & Want.ENERGY) !== 0) energy[s]! += 0.5 * k * (x * x + y * y + z * z);
        if ((want & Want.VIRIAL) === 0) continue;
        for (let i = 0; i < 9; i++) virial[9 * s + i]! -= k * d[Math.floor(i / 3)]! * d[i % 3]!;
      }
    }
  },
);

const displacement = new Float64Array(3);
