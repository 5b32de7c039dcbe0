import { adjustBonds, between, easeOf } from "../bonded/bonded.ts";
import { defineKernel, type Kernel } from "../kernel.ts";
import { addTo } from "../measure/add_to.ts";

const args = {
  starts: "i32",
  clusters: "i32",
  bonds: "i32",
  lengths: "f64",
  width: "number",
  weights: "real",
  held: "i32 optional",
  positions: "real changed",
  low: "real changed",
  before: "real",
  lowBefore: "real",
  velocities: "real optional",
  dt: "real optional",
  fraction: "number",
  cell: "real optional",
  pbc: "i32 optional",
  tolerance: "number",
  most: "number",
} as const;

/**
 * Restores bond lengths after a drift (SHAKE: Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23,
 * 327, 1977). For one bond after the other, x_i −= g w_i d₀ and x_j += g w_j d₀ with g = (L² −
 * d²)/(2 Σ (w_i + w_j) d·d₀), until |d² − L²| ≤ 2 ε L² for all. The change of x over the time of
 * the drift is added to v (RATTLE: Andersen, J. Comput. Phys. 52, 24, 1983).
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | x, d | `positions` and `low`, as in `kick_drift`; d is the vector from i to j, after the drift | Å |
 * | d₀ | from i to j, before the drift, from `before` and `lowBefore` | Å |
 * | L | `lengths`, `width` numbers per system, of its bonds in order | Å |
 * | w | `weights` per atom, 0 in the directions whose bits are set in `held` | |
 * | v | `velocities`, optional; requires `dt`, per system, of which the drift was a `fraction` | Å/fs |
 * | ε | `tolerance` | |
 *
 * A cluster is a set of bonds that shares no atom with other clusters.
 *
 * - `starts`: index of the first cluster of each system, followed by the number of clusters.
 * - `clusters`: index of the first bond of each cluster, followed by the number of bonds.
 * - `bonds`: i and j, as indices within the system.
 * - `cell` and `pbc`: optional; with them, bonds go to the nearest image.
 * - `most`: largest number of rounds. A system in which a cluster needs more rounds has diverged.
 */
export const shake: Kernel<typeof args> = defineKernel(
  "shake",
  args,
  (values, frame) =>
    adjustBonds(values, frame, (_, s) => {
      const own = values.width * s - values.clusters[values.starts[s]!]!;
      return (i, j, b) => adjust(i, j, s, values.lengths[own + b]!, values);
    }),
);

type State = Parameters<typeof shake.run>[0];

const old = new Float64Array(3), now = new Float64Array(3);

/** Moves the two atoms of a bond. Returns true if the bond needed no adjustment. */
function adjust(i: number, j: number, s: number, length: number, values: State): boolean {
  const { positions, low, before, lowBefore, velocities, dt, fraction, tolerance } = values;
  between(before, lowBefore, [i, j], s, values, old);
  let square = 0, slope = 0;
  for (let axis = 0; axis < 3; axis++) {
    const [p, q] = [3 * i + axis, 3 * j + axis];
    const moved = (positions[q]! - before[q]! + (low[q]! - lowBefore[q]!)) -
      (positions[p]! - before[p]! + (low[p]! - lowBefore[p]!));
    now[axis] = old[axis]! + moved;
    square += now[axis]! * now[axis]!;
    slope += (easeOf(i, axis, values) + easeOf(j, axis, values)) * now[axis]! * old[axis]!;
  }
  const missing = length * length - square;
  if (Math.abs(missing) <= 2 * tolerance * length * length) return true;
  const g = missing / (2 * slope);
  const rate = velocities && dt ? 1 / (fraction * dt[s]!) : 0;
  for (let axis = 0; axis < 3; axis++) {
    const [p, q] = [3 * i + axis, 3 * j + axis];
    const back = -g * easeOf(i, axis, values) * old[axis]!;
    const forth = g * easeOf(j, axis, values) * old[axis]!;
    addTo(positions, low, p, back);
    addTo(positions, low, q, forth);
    if (rate === 0) continue;
    velocities![p]! += rate * back;
    velocities![q]! += rate * forth;
  }
  return false;
}
