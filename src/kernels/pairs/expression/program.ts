/**
 * Pair potentials as lists of operations, which every backend compiles to its own code.
 *
 * @module
 */

/** An operation. Its operands are results of earlier operations, given by their positions in the list. */
export type PairOperation =
  | { readonly op: "square" }
  | { readonly op: "coefficient"; readonly index: number }
  | { readonly op: "number"; readonly value: number }
  | { readonly op: BinaryOperation; readonly a: number; readonly b: number }
  | { readonly op: UnaryOperation; readonly a: number };

/** Names of operations on two results. */
export type BinaryOperation = "add" | "subtract" | "multiply" | "divide";

/** Names of operations on one result. */
export type UnaryOperation = "negate" | "sqrt" | "exp2" | "log2";

/** A pair potential as plain data: a list of operations that compute the energy and the slope of a pair. */
export interface PairProgram {
  /**
   * Length of a row of the parameter table: the coefficients, the squared cutoff, and the energy
   * that is subtracted from each pair. The table has a row for each ordered pair of types.
   */
  readonly width: number;
  /** The operations, in the order in which they run. */
  readonly operations: readonly PairOperation[];
  /** Position of the operation whose result is the energy, before the subtraction. */
  readonly energy: number;
  /** Position of the operation whose result is −(dE/dr)/r. */
  readonly slope: number;
}

/**
 * Returns a flag per operation: true if it computes one of the results, or if one of them depends on it. `results`
 * are positions in `operations`.
 */
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
