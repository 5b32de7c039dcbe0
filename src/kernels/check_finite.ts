import { type Arrays, defineKernel, type Kernel, reportDiverged } from "./kernel.ts";

const args = {
  positions: "real optional",
  velocities: "real optional",
  forces: "real optional",
  cell: "real optional",
  energy: "f64 optional",
} as const;

/**
 * Largest allowed absolute value of a coordinate, Å. Positions beyond it are treated as not finite by this kernel, by
 * pair lists, and on every backend.
 */
export const FARTHEST = 1e9;

/**
 * Checks that the numbers of active systems are finite. All arguments are optional.
 *
 * - `positions`: three numbers per atom, each from −1e9 to 1e9 Å.
 * - `velocities`, `forces`: three numbers per atom.
 * - `cell`: nine numbers per system.
 * - `energy`: one number per system.
 *
 * If a number is NaN or infinite, or a position is out of range, the kernel sets `Control.DIVERGED` and halts the
 * run. `Control.CAUSE` becomes 0 for positions or a cell, 1 for forces or an energy, and 3 for velocities.
 */
export const checkFinite: Kernel<typeof args> = defineKernel(
  "check_finite",
  args,
  ({ positions, velocities, forces, cell, energy }, { systems, offsets, active, control }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const [from, to] = [3 * offsets[s]!, 3 * offsets[s + 1]!];
      const cause = !isWithin(positions, from, to) || !isFinite(cell, 9 * s, 9 * s + 9)
        ? 0
        : !isFinite(forces, from, to) || !isFinite(energy, s, s + 1)
        ? 1
        : !isFinite(velocities, from, to)
        ? 3
        : undefined;
      if (cause === undefined) continue;
      reportDiverged(control, s, cause);
    }
  },
);

/**
 * Returns whether the numbers of a range are finite. The product 0 x is 0 if x is finite, otherwise NaN, so one sum
 * of them checks all numbers.
 */
function isFinite(values: Arrays["real"] | undefined, from: number, to: number): boolean {
  if (values === undefined) return true;
  let sum = 0;
  for (let i = from; i < to; i++) sum += 0 * values[i]!;
  return sum === 0;
}

/** Returns whether the coordinates of a range are finite and at most `FARTHEST` in absolute value. */
function isWithin(positions: Arrays["real"] | undefined, from: number, to: number): boolean {
  if (positions === undefined) return true;
  for (let i = from; i < to; i++) if (!(Math.abs(positions[i]!) <= FARTHEST)) return false;
  return true;
}
