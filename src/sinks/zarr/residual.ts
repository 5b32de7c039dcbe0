/**
 * Residuals: what float64 values lose when they are rounded to float32.
 *
 * Engines compute positions, velocities and forces in float32, so that arrays of float32 hold all their digits in half
 * the space. Some values of a run have more digits, for example positions of fixed atoms, which keep those of the
 * user's file. Their residuals are in a second array, which is begun with the first of them, and which is 0 for all
 * other values. The sum of both is bitwise identical to the value.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";

/**
 * Returns the residuals of values that are stored as float32; `undefined` if all are 0. A value beyond the range of
 * float32, which is stored as infinity, is its own residual.
 */
export function residualsOf(values: NumericArray): Float64Array | undefined {
  let residuals: Float64Array | undefined;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!, rounded = Math.fround(value);
    if (rounded === value || Number.isNaN(value)) continue;
    residuals ??= new Float64Array(values.length);
    residuals[i] = Number.isFinite(rounded) ? value - rounded : value;
  }
  return residuals;
}

/** Adds residuals to values in place. A residual of 0 leaves the value, and the sign of a zero, as it is. */
export function addResiduals(values: NumericArray, residuals: NumericArray): void {
  for (let i = 0; i < values.length; i++) {
    const rounded = values[i]!, residual = residuals[i]!;
    if (residual !== 0) values[i] = Number.isFinite(rounded) ? rounded + residual : residual;
  }
}
