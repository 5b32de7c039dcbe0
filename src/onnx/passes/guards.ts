import { plainOf } from "../evaluate/plain_tensor.ts";
import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";
import { hasArray, isExternal, tensorType } from "../codec/tensor_proto.ts";

/** Operators whose results consist only of elements of their first input. */
export const REARRANGING: readonly string[] = [
  "Identity",
  "Reshape",
  "Squeeze",
  "Unsqueeze",
  "Flatten",
  "Transpose",
  "Expand",
  "Tile",
  "Gather",
  "GatherND",
  "GatherElements",
  "Slice",
];

/** The same operators, and Cast, which may round. */
const VIEWS = [...REARRANGING, "Cast"];

/** Operators whose results are positive. */
const POSITIVE = ["Exp", "Softplus", "Sigmoid", "Cosh", "Softmax"];

/** Detection of operations that keep a value away from a dangerous point. */
export class Guards {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /**
   * Returns whether an operation such as the addition of a positive constant keeps a value away from 0. This is no
   * proof, because a negative number may be added to the constant.
   */
  isOffZero(name: string): boolean {
    const numbers = this.numbersOf(name);
    if (numbers !== undefined) return numbers.every((x) => x !== 0);
    const node = this.#producer(name);
    if (node === undefined) return false;
    const { opType, input } = node;
    if (POSITIVE.includes(opType)) return true;
    if (opType === "Add" || opType === "Max") return input.some((each) => this.#isPositive(each));
    if (opType === "Clip") return this.#isPositive(input[1] ?? "");
    if (opType === "Where") return input.slice(1).some((each) => this.#isNonZero(each));
    if (opType === "Mul" || opType === "Div") return input.every((each) => this.isOffZero(each));
    return ["Sqrt", "Neg", "Abs", "Pow", "Reciprocal"].includes(opType) &&
      this.isOffZero(input[0] ?? "");
  }

  /** Returns whether an operation keeps a value strictly between −1 and 1. */
  isInside(name: string): boolean {
    const node = this.#producer(name);
    if (node === undefined) return false;
    const { opType, input } = node;
    const isSmall = (each = "") => this.numbersOf(each)?.every((x) => Math.abs(x) < 1) === true;
    if (opType === "Clip") return isSmall(input[1]) && isSmall(input[2]);
    if (opType === "Mul") return input.some(isSmall);
    if (opType === "Tanh") return true;
    const isOneSided = opType === "Max" || opType === "Min";
    // A node that limits one end may follow a node that limits the other.
    const before = isOneSided && input.some(isSmall) ? input.find((each) => !isSmall(each)) : "";
    const inner = this.#graph.producer(before ?? "");
    return inner?.opType === (opType === "Max" ? "Min" : "Max") && inner.input.some(isSmall);
  }

  /**
   * Returns whether an operation keeps a value between −1 and 1 inclusive, except for rounding errors that are too
   * large for {@linkcode clipCosines}.
   */
  isWithinOne(name: string): boolean {
    if (this.isInside(name)) return true;
    const node = this.#producer(name);
    if (node?.opType === "Where") return node.input.slice(1).some((each) => this.#isClip(each));
    return this.#isClip(name);
  }

  #isClip(name: string): boolean {
    const { opType, input = [] } = this.#producer(name) ?? {};
    const isSmall = (each = "") => this.numbersOf(each)?.every((x) => Math.abs(x) <= 1) === true;
    return opType === "Clip" && isSmall(input[1]) && isSmall(input[2]);
  }

  /** Returns the elements of a constant; `undefined` for other values, and for constants that cannot be read. */
  numbersOf(name: string): Float64Array | undefined {
    const tensor = this.#graph.constant(name);
    if (tensor === undefined || isExternal(tensor)) return undefined;
    return hasArray(tensorType(tensor)) ? plainOf(tensor).data : undefined;
  }

  /** Returns the node that computes a value. Skips operators that only rearrange elements. */
  #producer(name: string): NodeProto | undefined {
    let node = this.#graph.producer(name);
    while (node !== undefined && VIEWS.includes(node.opType)) {
      node = this.#graph.producer(node.input[0] ?? "");
    }
    return node;
  }

  #isPositive(name: string): boolean {
    return this.numbersOf(name)?.every((x) => x > 0) === true;
  }

  #isNonZero(name: string): boolean {
    return this.numbersOf(name)?.every((x) => x !== 0) === true;
  }
}
