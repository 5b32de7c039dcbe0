import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  real: "real optional",
  f64: "f64 optional",
  width: "number",
  level: "number",
  reduce: "number",
  threshold: "number",
  met: "i32 changed",
} as const;

/** What the numbers of a field belong to. */
export const Level = {
  /** Atoms. */
  NODE: 0,
  /** Systems. */
  SYSTEM: 1,
} as const;

/** How `width` numbers become one. */
export const Reduce = {
  /** The largest, as of any numbers left over. */
  NONE: 0,
  /** The smallest. */
  MIN: 1,
  /** The largest. */
  MAX: 2,
  /** √Σx²; of a single number its size. */
  NORM: 3,
  /** Σx/width. */
  MEAN: 4,
  /** Σx. */
  SUM: 5,
} as const;

/**
 * Whether a field is small enough, one criterion of a convergence: `met` stays 1 where value ≤ `threshold`, and
 * becomes 0 elsewhere. The value: each run of `width` numbers is reduced to one ({@linkcode Reduce}), and of all
 * that a system has, by itself or by its atoms ({@linkcode Level}), the largest counts. What is not a number never
 * meets a criterion.
 *
 * The field is given as `real` or as `f64`, whichever it is.
 */
export const criterion: Kernel<typeof args> = defineKernel(
  "criterion",
  args,
  ({ real, f64, width, level, reduce, threshold, met }, { systems, offsets, active }) => {
    const values = (real ?? f64)!;
    const owners = level === Level.NODE ? offsets[systems]! : systems;
    const each = owners === 0 ? 0 : values.length / owners;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const from = level === Level.NODE ? offsets[s]! : s;
      const to = level === Level.NODE ? offsets[s + 1]! : s + 1;
      let largest = -Infinity;
      for (let k = each * from; k < each * to; k += width) {
        largest = Math.max(largest, reduced(values, k, width, reduce));
      }
      if (!(largest <= threshold)) met[s] = 0;
    }
  },
);

/** The numbers from `at` on as one. */
function reduced(
  values: Float32Array | Float64Array,
  at: number,
  width: number,
  reduce: number,
): number {
  let min = Infinity, max = -Infinity, sum = 0, squares = 0;
  for (let k = at; k < at + width; k++) {
    const x = values[k]!;
    min = Math.min(min, x);
    max = Math.max(max, x);
    sum += x;
    squares += x * x;
  }
  if (reduce === Reduce.MIN) return min;
  if (reduce === Reduce.NORM) return Math.sqrt(squares);
  if (reduce === Reduce.MEAN) return sum / width;
  return reduce === Reduce.SUM ? sum : max;
}
