/**
 * What a steady rate of strain does over a time: the solution of ẋ = A x + y.
 *
 * @module
 */

import { product } from "./product.ts";

/** How far the series goes: what is left of it is below 1e-14 for a strain of 1 in one step. */
export const TERMS = 16;

/** x after a time t is x + `grow` x + `push` y: symmetric matrices of nine numbers. */
export interface Strain {
  /** X = A t. */
  readonly total: Float64Array;
  /** e^X − 1. */
  readonly grow: Float64Array;
  /** t (e^X − 1)/X. */
  readonly push: Float64Array;
}

/** Without any strain yet. */
export function makeStrain(): Strain {
  return {
    total: new Float64Array(9),
    grow: new Float64Array(9),
    push: new Float64Array(9),
  };
}

/**
 * Finds `grow` and `push` from `total`. Both come from one series, φ(X) = Σ Xⁿ/(n + 1)! in Horner's form, which needs
 * no inverse of X, and of which X φ(X) is e^X − 1 without a loss of digits.
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
