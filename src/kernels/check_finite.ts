import { type Arrays, Control, defineKernel, type Kernel } from "./kernel.ts";

const args = {
  positions: "real optional",
  velocities: "real optional",
  forces: "real optional",
  cell: "real optional",
  energy: "f64 optional",
} as const;

/**
 * Largest distance of a position from the origin, Å. Positions beyond it are treated as not finite
 * here, in pair lists, and on every backend.
 */
export const FARTHEST = 1e9;

/**
 * Checks that the numbers of active systems are finite.
 *
 * `positions`, `velocities`, `forces`: three per atom; `cell`: nine per system; `energy`: one per
 * system. All of them are optional. Positions must be within 1e9 Å of the origin. If a number is
 * NaN or infinite, the kernel sets `Control.DIVERGED` and halts the run; `Control.CAUSE` becomes 0
 * for positions or a cell, 1 for forces or an energy, 3 for velocities.
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
      if (control[Control.DIVERGED] === 0) {
        control[Control.DIVERGED] = s + 1;
        control[Control.CAUSE] = cause;
      }
      control[Control.HALT] = 1;
    }
  },
);

/**
 * Returns whether the numbers of a range are finite. 0 x is 0 if x is finite, else NaN, so one sum
 * checks all of them.
 */
function isFinite(values: Arrays["real"] | undefined, from: number, to: number): boolean {
  if (values === undefined) return true;
  let sum = 0;
  for (let i = from; i < to; i++) sum += 0 * values[i]!;
  return sum === 0;
}

/** Returns whether positions are finite and within `FARTHEST`. */
function isWithin(positions: Arrays["real"] | undefined, from: number, to: number): boolean {
  if (positions === undefined) return true;
  for (let i = from; i < to; i++) if (!(Math.abs(positions[i]!) <= FARTHEST)) return false;
  return true;
}
