import { adjustBonds, between, easeOf } from "../bonded/bonded.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  starts: "i32",
  clusters: "i32",
  bonds: "i32",
  weights: "real",
  held: "i32 optional",
  vectors: "real changed",
  positions: "real",
  low: "real optional",
  cell: "real optional",
  pbc: "i32 optional",
  tolerance: "number",
  most: "number",
} as const;

/**
 * Removes the components of vectors that would change bond lengths (second part of RATTLE:
 * Andersen, J. Comput. Phys. 52, 24, 1983). For one bond after the other, v_i += g w_i d and v_j −=
 * g w_j d with g = d·(v_j − v_i)/Σ (w_i + w_j) d², until |d·(v_j − v_i)| ≤ ε |d| V for all. With
 * inverse masses as weights, v are velocities; with weights of 1, v are the forces of a relaxation.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | v | `vectors`, three per atom; V the largest of the cluster before the first round | |
 * | d | from i to j, of `positions` with `low`, as in `kick_drift` | Å |
 * | w | `weights` per atom, 0 in the directions whose bits are set in `held` | |
 * | ε | `tolerance` | |
 *
 * The other arguments are those of `shake`.
 */
export const rattle: Kernel<typeof args> = defineKernel(
  "rattle",
  args,
  (values, frame) =>
    adjustBonds(values, frame, (c, s) => {
      const fastest = largest(c, frame.offsets[s]!, values);
      return (i, j) => adjust(i, j, s, fastest, values);
    }),
);

type State = Parameters<typeof rattle.run>[0];

const along = new Float64Array(3);

/**
 * Returns the length of the longest vector of an atom in cluster c. `first` is the index of the system's first atom.
 */
function largest(c: number, first: number, { clusters, bonds, vectors }: State): number {
  let square = 0;
  for (let n = 2 * clusters[c]!; n < 2 * clusters[c + 1]!; n++) {
    const k = 3 * (first + bonds[n]!);
    square = Math.max(square, vectors[k]! ** 2 + vectors[k + 1]! ** 2 + vectors[k + 2]! ** 2);
  }
  return Math.sqrt(square);
}

/** Adjusts the vectors of the two atoms of a bond. Returns true if the bond needed no adjustment. */
function adjust(i: number, j: number, s: number, fastest: number, values: State): boolean {
  const { vectors, positions, low, tolerance } = values;
  between(positions, low, [i, j], s, values, along);
  let square = 0, change = 0, slope = 0;
  for (let axis = 0; axis < 3; axis++) {
    const d = along[axis]!;
    square += d * d;
    change += d * (vectors[3 * j + axis]! - vectors[3 * i + axis]!);
    slope += (easeOf(i, axis, values) + easeOf(j, axis, values)) * d * d;
  }
  if (Math.abs(change) <= tolerance * Math.sqrt(square) * fastest) return true;
  if (slope === 0) return true;
  const g = change / slope;
  for (let axis = 0; axis < 3; axis++) {
    vectors[3 * i + axis]! += g * easeOf(i, axis, values) * along[axis]!;
    vectors[3 * j + axis]! -= g * easeOf(j, axis, values) * along[axis]!;
  }
  return false;
}
