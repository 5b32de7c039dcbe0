/**
 * Proofs that a value of a graph is positive, from the operators that compute it.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { Graph } from "../graph/graph.ts";
import { Guards, REARRANGING } from "../passes/guards.ts";

/** Operators whose results are never negative. Some are positive in theory, but underflow to 0 in floating point. */
const NON_NEGATIVE = [
  "Abs",
  "Exp",
  "Relu",
  "ReduceL1",
  "ReduceL2",
  "ReduceSumSquare",
  "Sigmoid",
  "Softmax",
  "Softplus",
  "Sqrt",
];

/** Operators whose results are not negative if their first input is not. */
const KEEPING = [...REARRANGING, "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"];

/** Number of operators before a value that a proof may use. It limits the depth of the recursion. */
const DEPTH = 64;

/**
 * Proves that values are positive or not negative, in floating point and for all inputs. The result `false` only
 * means that there is no proof. NaN counts as positive, because it propagates anyway.
 */
export class Signs {
  readonly #graph: Graph;
  readonly #guards: Guards;
  readonly #known = new Map<string, boolean>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#guards = new Guards(graph);
  }

  /** Returns whether all elements of a value are proven to be above 0. */
  isPositive(name: string | undefined, depth: number = 0): boolean {
    return this.#find(name, depth, true);
  }

  /** Returns whether all elements of a value are proven to be 0 or more. */
  isNonNegative(name: string | undefined, depth: number = 0): boolean {
    return this.#find(name, depth, false);
  }

  /** Looks a proof up, so that a value which many operators share is examined only once. */
  #find(name: string | undefined, depth: number, isStrict: boolean): boolean {
    if (name === undefined || name === "" || depth > DEPTH) return false;
    const key = `${isStrict ? ">" : ">="}${name}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#prove(name, depth + 1, isStrict);
      this.#known.set(key, found);
    }
    return found;
  }

  #prove(name: string, depth: number, isStrict: boolean): boolean {
    const numbers = this.#guards.numbersOf(name);
    if (numbers !== undefined) return numbers.every((x) => isStrict ? x > 0 : x >= 0);
    const node = this.#graph.producer(name);
    if (node === undefined || node.domain !== "") return false;
    return isStrict ? this.#makesPositive(node, depth) : this.#makesNonNegative(node, depth);
  }

  #makesPositive({ opType, input }: NodeProto, depth: number): boolean {
    const [a, b, c] = input;
    const isPositive = (each: string | undefined) => this.isPositive(each, depth);
    const isNonNegative = (each: string | undefined) => this.isNonNegative(each, depth);
    switch (opType) {
      case "Cosh":
        return true;
      case "Sqrt":
      case "Abs":
        return isPositive(a);
      case "Pow":
        return this.#isRoot(b) && isPositive(a); // other powers of small numbers underflow to 0
      case "Add":
        return isPositive(a) && isNonNegative(b) || isNonNegative(a) && isPositive(b);
      case "Max":
        return input.some(isPositive);
      case "Clip":
        return isPositive(b) && (!c || isPositive(c));
      case "Where":
        return isPositive(b) && isPositive(c);
      default:
        return REARRANGING.includes(opType) && isPositive(a);
    }
  }

  #makesNonNegative({ opType, input }: NodeProto, depth: number): boolean {
    const [a, b, c] = input;
    const isNonNegative = (each: string | undefined) => this.isNonNegative(each, depth);
    if (NON_NEGATIVE.includes(opType) || opType === "Cosh") return true;
    switch (opType) {
      case "Mul":
        return a === b || isNonNegative(a) && isNonNegative(b);
      case "Div":
        return isNonNegative(a) && this.isPositive(b, depth);
      case "Pow":
        return this.#isEven(b);
      case "Add":
        return isNonNegative(a) && isNonNegative(b);
      case "Max":
        return input.some(isNonNegative);
      case "Clip":
        return isNonNegative(b) && (!c || isNonNegative(c));
      case "Where":
        return isNonNegative(b) && isNonNegative(c);
      default:
        return KEEPING.includes(opType) && isNonNegative(a);
    }
  }

  /** Returns whether an exponent consists of numbers from above 0 to 1, whose powers do not underflow. */
  #isRoot(exponent: string | undefined): boolean {
    return this.#guards.numbersOf(exponent ?? "")?.every((p) => p > 0 && p <= 1) === true;
  }

  #isEven(exponent: string | undefined): boolean {
    return this.#guards.numbersOf(exponent ?? "")?.every((p) => p % 2 === 0) === true;
  }
}
