import { shifted, unwrapped } from "../cells/unwrapped.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { Want } from "../pairs/sum_pairs.ts";

const args = {
  starts: "i32",
  bonds: "i32",
  shifts: "i32 optional",
  lengths: "real",
  stiffness: "real",
  positions: "real",
  cell: "real optional",
  images: "i32 optional",
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
  want: "number",
} as const;

/**
 * Adds harmonic bonds to forces, energy and virial: E = Σ ½ k (r − r₀)² with r = |d|, d = x_j + n_j h + m h − x_i −
 * n_i h; F_i = k (r − r₀) d/r = −F_j; W = −Σ k (r − r₀) d ⊗ d/r. A bond of length 0 has no direction and exerts no
 * force.
 *
 * - `starts`: index of the first bond of each system, followed by the number of bonds.
 * - `bonds`: i and j, as indices within the system.
 * - `shifts` m: lattice translation of the second atom, three integers per bond.
 * - `lengths` r₀: Å per bond.
 * - `stiffness` k: eV/Å² per bond.
 * - `images` n and `cell` h: undo wrapping, so that wrapping an atom does not stretch its bonds.
 * - `want`: bits of {@linkcode Want}.
 *
 * `shifts` and `images` require the cell.
 */
export const harmonicBonds: Kernel<typeof args> = defineKernel(
  "harmonic_bonds",
  args,
  (values, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let b = values.starts[s]!; b < values.starts[s + 1]!; b++) {
        addBond(b, s, offsets[s]!, values);
      }
    }
  },
);

const bond = new Float64Array(3);

/** Adds bond b of system s to forces, energy and virial. `first` is the index of the first atom of the system. */
function addBond(
  b: number,
  s: number,
  first: number,
  values: Parameters<typeof harmonicBonds.run>[0],
): void {
  const { bonds, shifts, lengths, stiffness, positions, cell, images, want } = values;
  const i = first + bonds[2 * b]!, j = first + bonds[2 * b + 1]!;
  for (let axis = 0; axis < 3; axis++) {
    bond[axis] = unwrapped(positions, j, axis, images, cell, 9 * s) -
      unwrapped(positions, i, axis, images, cell, 9 * s) +
      (shifts && cell ? shifted(shifts, 3 * b, cell, 9 * s + axis) : 0);
  }
  const r = Math.sqrt(bond[0]! * bond[0]! + bond[1]! * bond[1]! + bond[2]! * bond[2]!);
  const stretch = r - lengths[b]!;
  const pull = r === 0 ? 0 : stiffness[b]! * stretch / r;
  for (let axis = 0; axis < 3; axis++) {
    values.forces[3 * i + axis]! += pull * bond[axis]!;
    values.forces[3 * j + axis]! -= pull * bond[axis]!;
  }
  if ((want & Want.ENERGY) !== 0) values.energy[s]! += 0.5 * stiffness[b]! * stretch * stretch;
  if ((want & Want.VIRIAL) === 0) return;
  for (let k = 0; k < 9; k++) {
    values.virial[9 * s + k]! -= pull * bond[Math.floor(k / 3)]! * bond[k % 3]!;
  }
}
