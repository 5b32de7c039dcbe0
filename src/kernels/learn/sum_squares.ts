import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real",
  squares: "f64 changed",
} as const;

/**
 * The sum of the squares of numbers of each system, one per atom: Σ x²; not finite if any of them is not. 0 for a system
 * at rest: it has no part in the norm of all.
 */
export const sumSquares: Kernel<typeof args> = defineKernel(
  "sum_squares",
  args,
  ({ values, squares }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      let sum = 0;
      const end = active[s] === 0 ? 0 : offsets[s + 1]!;
      for (let a = offsets[s]!; a < end; a++) sum += values[a]! * values[a]!;
      squares[s] = sum;
    }
  },
);
