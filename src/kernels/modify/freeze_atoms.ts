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

/** What of a frozen atom is held; the bits of `what`. */
export const Freeze = {
  /** It goes back to its anchor. */
  POSITIONS: 1,
  /** Its velocity becomes zero. */
  VELOCITIES: 2,
  /** The force on it becomes zero. */
  FORCES: 4,
} as const;

/**
 * Holds atoms where they are: x = x₀ − n h, v = 0, F = 0, each if `what` has its bit ({@linkcode Freeze}), in the
 * directions whose bits, 1, 2 and 4, `frozen` has; 7 for all. `anchors` x₀: where the atoms belong, not wrapped, Å; `images` n: whole lattice vectors that
 * wrapping took off since, of `cell` h; without them x = x₀, to the bit.
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
