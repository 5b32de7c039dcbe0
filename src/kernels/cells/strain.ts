/**
 * Exact solution of ẋ = A x + y for a constant rate of strain A.
 *
 * @module
 */

import { product } from "./product.ts";

/** Number of terms of the series for φ(X). The remainder is below 1e-14 for a strain of 1 in one step. */
export const TERMS = 16;

/** The solution after a time t: x + `grow` x + `push` y. All members are symmetric matrices of nine numbers. */
export interface Strain {
  /** The total strain X = A t. */
  readonly total: Float64Array;
  /** The matrix e^X − 1. */
  readonly grow: Float64Array;
  /** The matrix t (e^X − 1)/X. */
  readonly push: Float64Array;
}

/** Creates a {@linkcode Strain} whose matrices are zero. */
export function makeStrain(): Strain {
  return {
    total: new Float64Array(9),
    grow: new Float64Array(9),
    push: new Float64Array(9),
  };
}

/**
 * Computes `grow` and `push` from `total` for the time `time`. Both come from one series, φ(X) = Σ Xⁿ/(n + 1)!, in
 * Horner's form. The series needs no inverse of X, and e^X − 1 = X φ(X) loses no digits for small X.
 */
export function solveStrain({ total, grow, push }: Strain, time: number): void {
  for (let k = 0; k < 9; k++) push[k] = k % 4 === 0 ? 1 : 0;
  for (let n = TERMS; n > 1; n--) {
    product(total, push, grow);
    for (let k = 0; k < 9; k++) push[k] = grow[k]! / n + (k % 4 === 0 ? 1 : 0);
  }
  product(total, push, grow);
  for (let k = 0; k < 9; k++) push[k]! *= time;
}
