import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  values: "real",
  squares: "f64 changed",
} as const;

/**
 * Computes Σ x² over the numbers of each system, one per atom. The sum is not finite if any number is not finite. A
 * finished system gets 0, so that it does not contribute to a common norm.
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
