import { differentiate } from "./differentiate.ts";
import { evaluate } from "./evaluate.ts";
import { PairExpression } from "./expression.ts";
import { type Factor, Graph, type Node } from "./graph.ts";
import { Lowering } from "./lower.ts";
import { neededFor, type PairOperation, type PairProgram } from "./program.ts";

/** A function of the distance in Å and of parameters, which returns the energy of a pair in eV. */
export type PairEnergy<P extends string> = (
  r: PairExpression,
  parameters: Readonly<Record<P, PairExpression>>,
) => PairExpression;

/** A recorded pair energy. */
export interface TracedPair {
  /** The operations that backends run. */
  readonly program: PairProgram;
  /**
   * Returns the row of the parameter table for one pair of types. `values` are the parameters, in the order in which
   * they were named.
   */
  readonly row: (values: ArrayLike<number>, cutoff: number, isShifted: boolean) => number[];
}

/**
 * Records a pair energy by calling the function once, and derives −(dE/dr)/r from the record.
 *
 * @throws {TypeError} if the energy returns anything but an expression of its arguments
 * @throws {RangeError} if a number in the energy or in its derivative is not finite in float32
 */
export function tracePair<const P extends string>(
  names: readonly P[],
  energy: PairEnergy<P>,
): TracedPair {
  const graph = new Graph();
  const entries = names.map((name, i) => [name, new PairExpression(graph, graph.parameter(i))]);
  const r = new PairExpression(graph, graph.product(1, [{ base: graph.square(), exponent: 0.5 }]));
  const returned = energy(r, Object.fromEntries(entries) as Record<P, PairExpression>);
  const node = distributed(graph, PairExpression.nodeOf(returned, graph));
  // By the chain rule (dE/dr)/r = 2 dE/d(r²).
  const doubled = graph.multiply(graph.number(-2), differentiate(graph, node));
  const slope = distributed(graph, doubled);
  const lowering = new Lowering(graph, [node, slope]);
  const results = [lowering.valueOf(node), lowering.valueOf(slope)] as const;
  const { coefficients, operations } = lowering;
  const kept = withoutUnused(operations, results);
  const numbers = kept.operations.flatMap((one) => one.op === "number" ? [one.value] : []);
  assertFits([...numbers, ...coefficients.map(({ scale }) => scale)]);
  return {
    program: { width: coefficients.length + 2, ...kept },
    row(values, cutoff, isShifted) {
      const square = cutoff * cutoff;
      return [
        ...coefficients.map(({ scale, node }) => scale * evaluate(node, square, values)),
        square,
        isShifted ? evaluate(node, square, values) : 0,
      ];
    },
  };
}

/** Throws a RangeError if a number is not finite in float32, the precision of shaders. */
function assertFits(numbers: readonly number[]): void {
  const wrong = numbers.find((value) => !Number.isFinite(Math.fround(value)));
  if (wrong === undefined) return;
  throw new RangeError(
    "Cannot record a pair energy: the constants in it and in its derivative must be between −3.4e38 and 3.4e38, " +
      `the limits of float32; got ${wrong}`,
  );
}

/** Multiplies out products of parameters and a sum, so that the parameters become part of coefficients. */
function distributed(graph: Graph, node: Node): Node {
  if (node.kind === "sum") {
    const terms = node.terms.map((term) => distributed(graph, term));
    return graph.sum(graph.number(node.constant), ...terms);
  }
  if (node.kind !== "product") return node;
  const isParameter = ({ base }: Factor) => base.kind === "parameter";
  const [only, ...rest] = node.factors.filter((factor) => !isParameter(factor));
  if (rest.length > 0 || only?.base.kind !== "sum" || only.exponent !== 1) return node;
  const before = graph.product(node.scale, node.factors.filter(isParameter));
  const terms = only.base.terms.map((term) => distributed(graph, graph.multiply(before, term)));
  return graph.sum(graph.multiply(before, graph.number(only.base.constant)), ...terms);
}

/** Removes operations on which neither the energy nor the slope depends. */
function withoutUnused(
  operations: readonly PairOperation[],
  results: readonly [number, number],
): Omit<PairProgram, "width"> {
  const isNeeded = neededFor(operations, results);
  const places = new Map<number, number>();
  operations.forEach((_, i) => isNeeded[i] && places.set(i, places.size));
  const placeOf = (i: number) => places.get(i)!;
  const kept = operations.filter((_, i) => isNeeded[i]).map((operation): PairOperation =>
    "b" in operation
      ? { op: operation.op, a: placeOf(operation.a), b: placeOf(operation.b) }
      : "a" in operation
      ? { op: operation.op, a: placeOf(operation.a) }
      : operation
  );
  return { operations: kept, energy: placeOf(results[0]), slope: placeOf(results[1]) };
}
