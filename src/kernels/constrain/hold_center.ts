import { defineKernel, type Kernel } from "../kernel.ts";
import { addTo } from "../measure/add_to.ts";

const args = {
  vectors: "real changed",
  before: "real optional",
  low: "real optional",
  masses: "real",
  shares: "real optional",
  held: "i32 optional",
} as const;

/**
 * Removes the motion of the center of mass from vectors: y −= c Σ m (y − b)/Σ m c, in each direction, over the atoms
 * that are free in that direction. Motion below the rounding error of the sum is kept, so that applying the kernel
 * twice changes nothing.
 *
 * - `vectors` y: positions, velocities or forces, three numbers per atom.
 * - `before` b: previous positions; 0 by default.
 * - `low`: as in `kick_drift`.
 * - `masses` m: weights of the atoms.
 * - `shares` c: share of each atom in the correction; 1 by default.
 * - `held`: directions in which an atom is fixed, the sum of 1 for x, 2 for y and 4 for z.
 *
 * With c = m, the kernel removes from the forces of a relaxation the part that would move the center.
 */
export const holdCenter: Kernel<typeof args> = defineKernel(
  "hold_center",
  args,
  ({ vectors, before, low, masses, shares, held }, { systems, offsets, active }) => {
    const slack = vectors instanceof Float32Array ? 2 ** -23 : 2 ** -52;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let axis = 0; axis < 3; axis++) {
        let mass = 0, moment = 0, size = 0;
        for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
          if (held && (held[a]! >> axis & 1) !== 0) continue;
          const k = 3 * a + axis;
          const term = masses[a]! * (vectors[k]! - (before ? before[k]! : 0));
          mass += masses[a]! * (shares ? shares[a]! : 1);
          moment += term;
          size += Math.abs(term);
        }
        if (!(Math.abs(moment) > slack * size)) continue;
        for (let a = offsets[s]!; a < offsets[s + 1]!; a++) {
          if (held && (held[a]! >> axis & 1) !== 0) continue;
          addTo(vectors, low, 3 * a + axis, -moment / mass * (shares ? shares[a]! : 1));
        }
      }
    }
  },
);
