/**
 * Pair potentials as lists of operations, which every backend compiles to its own code.
 *
 * @module
 */

/** An operation on the results of earlier operations, which are referenced by position. */
export type PairOperation =
  | { readonly op: "square" }
  | { readonly op: "coefficient"; readonly index: number }
  | { readonly op: "number"; readonly value: number }
  | { readonly op: BinaryOperation; readonly a: number; readonly b: number }
  | { readonly op: UnaryOperation; readonly a: number };

/** An operation on two results. */
export type BinaryOperation = "add" | "subtract" | "multiply" | "divide";

/** An operation on one result. */
export type UnaryOperation = "negate" | "sqrt" | "exp2" | "log2";

/** A pair potential as plain data. */
export interface PairProgram {
  /**
   * Length of a row of the parameter table: the coefficients, the squared cutoff, and the energy
   * that is subtracted from each pair. The table has a row for each ordered pair of types.
   */
  readonly width: number;
  /** The operations, in order. */
  readonly operations: readonly PairOperation[];
  /** Position of the energy, before the subtraction. */
  readonly energy: number;
  /** Position of −(dE/dr)/r. */
  readonly slope: number;
}

/** Returns for each operation whether one of the results needs it. */
export function neededFor(
  operations: readonly PairOperation[],
  results: readonly number[],
): boolean[] {
  const isNeeded = operations.map((_, i) => results.includes(i));
  for (let i = operations.length - 1; i >= 0; i--) {
    const operation = operations[i]!;
    if (!isNeeded[i]) continue;
    if ("a" in operation) isNeeded[operation.a] = true;
    if ("b" in operation) isNeeded[operation.b] = true;
  }
  return isNeeded;
}
