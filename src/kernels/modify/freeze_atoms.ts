import { shifted } from "../cells/unwrapped.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  velocities: "real changed",
  forces: "real changed",
  frozen: "i32",
  anchors: "real",
  images: "i32 optional",
  cell: "real optional",
  what: "number",
} as const;

/** Bits of `what`, which select the quantities of frozen atoms that are held. */
export const Freeze = {
  /** Position: reset to its anchor. */
  POSITIONS: 1,
  /** Velocity: set to zero. */
  VELOCITIES: 2,
  /** Force: set to zero. */
  FORCES: 4,
} as const;

/**
 * Holds atoms in place: x = x₀ − n h, v = 0, F = 0. Each quantity is held if its bit is set in `what` ({@linkcode
 * Freeze}).
 *
 * - `frozen`: directions in which an atom is held, the sum of 1 for x, 2 for y and 4 for z.
 * - `anchors` x₀: held positions, not wrapped, three numbers per atom, Å.
 * - `images` n: number of lattice vectors of `cell` h that wrapping has subtracted, three per atom.
 *
 * Without `images`, x is bitwise identical to x₀.
 */
export const freezeAtoms: Kernel<typeof args> = defineKernel(
  "freeze_atoms",
  args,
  (values, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
        if (values.frozen[a] !== 0) freeze(a, s, values);
      }
    }
  },
);

function freeze(atom: number, system: number, values: Parameters<typeof freezeAtoms.run>[0]): void {
  const { positions, velocities, forces, anchors, images, cell, what } = values;
  for (let axis = 0; axis < 3; axis++) {
    if ((values.frozen[atom]! >> axis & 1) === 0) continue;
    const k = 3 * atom + axis;
    if ((what & Freeze.POSITIONS) !== 0) {
      const off = images && cell ? shifted(images, 3 * atom, cell, 9 * system + axis) : 0;
      positions[k] = anchors[k]! - off;
    }
    if ((what & Freeze.VELOCITIES) !== 0) velocities[k] = 0;
    if ((what & Freeze.FORCES) !== 0) forces[k] = 0;
  }
}
