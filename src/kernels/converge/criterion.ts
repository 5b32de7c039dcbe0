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

/** Levels of a field: one row per atom, or one row per system. */
export const Level = {
  /** The field has one row per atom. */
  NODE: 0,
  /** The field has one row per system. */
  SYSTEM: 1,
} as const;

/** Reductions of a row of `width` numbers to one number. */
export const Reduce = {
  /** No reduction: every number of the row is compared, so that the largest one decides. */
  NONE: 0,
  /** Minimum. */
  MIN: 1,
  /** Maximum. */
  MAX: 2,
  /** Norm √Σx²; for a single number, its absolute value. */
  NORM: 3,
  /** Mean Σx/width. */
  MEAN: 4,
  /** Sum Σx. */
  SUM: 5,
} as const;

/**
 * Evaluates one criterion of convergence: sets `met` to 0 for systems whose value is above `threshold`. Each row of
 * `width` numbers is reduced to one number by {@linkcode Reduce}. The value of a system is the largest of these
 * numbers over its rows, which belong to the system or to its atoms ({@linkcode Level}). A value of NaN never meets a
 * criterion. The field is passed as `real` or as `f64`, according to its type.
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

/** Returns the number to which `reduce` reduces the row that begins at index `at`. */
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
