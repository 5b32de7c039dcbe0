import { unwrapped } from "../cells/unwrapped.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { Want } from "../pairs/sum_pairs.ts";

const args = {
  positions: "real",
  cell: "real optional",
  images: "i32 optional",
  masses: "real",
  center: "real",
  stiffness: "real",
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
  want: "number",
} as const;

/**
 * Adds a spring between the center of mass of a group of atoms and a point to forces, energy and virial: E = ½ k
 * |d|², d = Σ mᵢ (xᵢ + nᵢ h)/M − x₀, Fᵢ = −k d mᵢ/M, W = −k d ⊗ d. The point moves with a strain of the system.
 *
 * - `masses` m: amu per atom, 0 for atoms outside the group; M is their sum.
 * - `center` x₀: three numbers per system, Å.
 * - `stiffness` k: eV/Å² per system.
 * - `images` n and `cell` h: undo wrapping, so that wrapping an atom does not move the center.
 * - `want`: bits of {@linkcode Want}.
 *
 * A system without a group stays unchanged.
 */
export const centerBias: Kernel<typeof args> = defineKernel(
  "center_bias",
  args,
  (values, { systems, offsets, active }) => {
    const { masses, forces, energy, virial, want } = values;
    for (let s = 0; s < systems; s++) {
      const k = values.stiffness[s]!;
      if (active[s] === 0 || k === 0) continue;
      const from = offsets[s]!, to = offsets[s + 1]!;
      const mass = displace(s, from, to, values);
      if (mass === 0) continue;
      for (let a = from; a < to; a++) {
        const pull = k * masses[a]! / mass;
        for (let i = 0; i < 3; i++) forces[3 * a + i]! -= pull * displacement[i]!;
      }
      const [x, y, z] = [displacement[0]!, displacement[1]!, displacement[2]!];
      if ((want & Want.ENERGY) !== 0) energy[s]! += 0.5 * k * (x * x + y * y + z * z);
      if ((want & Want.VIRIAL) === 0) continue;
      for (let i = 0; i < 9; i++) {
        virial[9 * s + i]! -= k * displacement[Math.floor(i / 3)]! * displacement[i % 3]!;
      }
    }
  },
);

const displacement = new Float64Array(3);

/**
 * Writes the vector from the point to the center of mass of the group to `displacement`. Returns the mass of the
 * group.
 */
function displace(
  s: number,
  from: number,
  to: number,
  { positions, images, cell, masses, center }: Parameters<typeof centerBias.run>[0],
): number {
  let mass = 0;
  displacement.fill(0);
  for (let a = from; a < to; a++) {
    const m = masses[a]!;
    if (m === 0) continue;
    mass += m;
    for (let i = 0; i < 3; i++) {
      displacement[i]! += m * unwrapped(positions, a, i, images, cell, 9 * s);
    }
  }
  for (let i = 0; i < 3; i++) displacement[i] = displacement[i]! / mass - center[3 * s + i]!;
  return mass;
}
