import type { NodeProto } from "../../codec/messages.ts";
import { hasArray, isExternal, tensorType } from "../../codec/tensor_proto.ts";
import { plainOf } from "../../evaluate/plain_tensor.ts";
import type { Graph } from "../../graph/graph.ts";
import type { PassOptions } from "../pass.ts";

/**
 * Writes the slopes of two activation functions with values that the functions compute:
 * - SiLU, y = x · σ with σ = sigmoid(x): g · σ + (g · x) · (σ · (1 − σ)) becomes g · (σ + y · (1 − σ))
 * - CELU, y = max(x, 0) + α (e − 1) with e = exp(min(x, 0) / α): the sum of both cases becomes g · e
 *
 * Run it after {@linkcode gradient}. Elementwise operators take as long as memory needs for their values, so fewer of them
 * take less time. Values change only by rounding in single precision, in which α · (1 / α) counts as 1, except that the
 * slope of CELU at 0 becomes 1, as in PyTorch, instead of the sum of both sides.
 *
 * @returns number of slopes that were rewritten
 *
 * @example
 * ```ts
 * import { decodeModel, gradient, Graph, GraphBuilder, shareActivations } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("silu");
 * const x = builder.input("x", "f32", ["N"]);
 * const y = builder.mul(x, builder.op("Sigmoid", [x], "f32"));
 * builder.output("energy", builder.reduceSum(builder.mul(y, y), [0]));
 * const graph = new Graph(decodeModel(builder.build()));
 * gradient(graph, { of: "energy", wrt: { x: "slope" } });
 * assertEquals(shareActivations(graph), 1);
 * ```
 */
export function shareActivations(graph: Graph, { parameters = [] }: PassOptions = {}): number {
  const slopes = new Slopes(graph, new Set(parameters));
  let count = 0;
  for (const node of graph.nodes) {
    if (node.opType !== "Add" || node.domain !== "") continue;
    const made = slopes.silu(node) ?? slopes.celu(node);
    if (made === undefined) continue;
    graph.replaceNode(node, made);
    count++;
  }
  return count;
}

/** Largest difference between a product of constants and 1. */
const ROUNDING = 1e-6;

/** Finds slopes of activation functions. */
class Slopes {
  readonly #graph: Graph;
  readonly #parameters: ReadonlySet<string>;

  constructor(graph: Graph, parameters: ReadonlySet<string>) {
    this.#graph = graph;
    this.#parameters = parameters;
  }

  /** Adds the node that computes the slope of a SiLU; `undefined` if `sum` computes something else. */
  silu(sum: NodeProto): NodeProto | undefined {
    for (const [outer, inner] of pairs(sum)) {
      // inner = (g · x) · (σ · (1 − σ))
      for (const [scaled, bell] of pairs(this.#made(inner, "Mul"))) {
        for (const [sigmoid, rest] of pairs(this.#made(bell, "Mul"))) {
          const x = this.#made(sigmoid, "Sigmoid")?.input[0], minus = this.#made(rest, "Sub");
          if (x === undefined || minus?.input[1] !== sigmoid) continue;
          const [g] = without(this.#made(scaled, "Mul"), x), y = this.#product(x, sigmoid);
          const isOuter = g !== undefined && without(this.#made(outer, "Mul"), sigmoid)[0] === g;
          if (!isOuter || y === undefined || this.#number(minus.input[0]) !== 1) continue;
          const slope = this.#graph.make("Add", [sigmoid, this.#graph.make("Mul", [y, rest])]);
          return this.#graph.add("Mul", [g, slope]);
        }
      }
    }
    return undefined;
  }

  /** Adds the node that computes the slope of a CELU; `undefined` if `sum` computes something else. */
  celu(sum: NodeProto): NodeProto | undefined {
    for (const [above, below] of pairs(sum)) {
      const [isAbove, g = "", zero] = this.#made(above, "Where")?.input ?? [];
      const [isBelow, scaled = "", other] = this.#made(below, "Where")?.input ?? [];
      if (this.#number(zero) !== 0 || this.#number(other) !== 0) continue;
      const x = this.#comparedTo0(isAbove, "GreaterOrEqual");
      if (x === undefined || this.#comparedTo0(isBelow, "LessOrEqual") !== x) continue;
      const factors = this.#factors(scaled, g), numbers = factors.map((each) => this.#number(each));
      const [one, two, ...more] = factors.filter((_, i) => numbers[i] === undefined);
      const scale = numbers.reduce<number>((product, each) => product * (each ?? 1), 1);
      const exponential = one === g ? two : two === g ? one : undefined;
      if (more.length > 0 || exponential === undefined || Math.abs(scale - 1) > ROUNDING) continue;
      if (this.#clippedIn(exponential) === x) return this.#graph.add("Mul", [g, exponential]);
    }
    return undefined;
  }

  /** Returns the node with this operator that computes a value; `undefined` for other values. */
  #made(name: string | undefined, opType: string): NodeProto | undefined {
    const node = this.#graph.producer(name ?? "");
    return node?.opType === opType && node.domain === "" ? node : undefined;
  }

  /** Returns the name of the product of two values; `undefined` if no node computes it. */
  #product(a: string, b: string): string | undefined {
    const isProduct = ({ opType, domain, input }: NodeProto) =>
      opType === "Mul" && domain === "" && without({ input }, b)[0] === a;
    return this.#graph.uses(b).map(({ node }) => node).find(isProduct)?.output[0];
  }

  /** Returns the factors of a product, of which some may be products. The factor `whole` is not taken apart. */
  #factors(name: string, whole?: string): readonly string[] {
    const product = name === whole ? undefined : this.#made(name, "Mul");
    return product?.input.flatMap((each) => this.#factors(each, whole)) ?? [name];
  }

  /** Returns the value that a node compares to 0; `undefined` for other nodes. */
  #comparedTo0(name: string | undefined, opType: string): string | undefined {
    const [x, zero] = this.#made(name, opType)?.input ?? [];
    return this.#number(zero) === 0 ? x : undefined;
  }

  /** Returns x if a value is exp(min(x, 0) · c) or exp(min(x, 0)); otherwise `undefined`. */
  #clippedIn(exponential: string): string | undefined {
    const exponent = this.#made(exponential, "Exp")?.input[0] ?? "";
    const [clipped = "", ...more] = this.#factors(exponent)
      .filter((each) => this.#number(each) === undefined);
    const [x, zero] = this.#made(clipped, "Min")?.input ?? [];
    return more.length === 0 && this.#number(zero) === 0 ? x : undefined;
  }

  /** Returns the value of a scalar constant; `undefined` for other values and for parameters. */
  #number(name: string = ""): number | undefined {
    const tensor = this.#parameters.has(name) ? undefined : this.#graph.constant(name);
    if (tensor === undefined || tensor.dims.length > 0 || isExternal(tensor)) return undefined;
    return hasArray(tensorType(tensor)) ? plainOf(tensor).data[0] : undefined;
  }
}

/** Returns the inputs of a node with two inputs in both orders. */
function pairs(node: { readonly input: readonly string[] } | undefined): [string, string][] {
  const [a, b, ...more] = node?.input ?? [];
  return a === undefined || b === undefined || more.length > 0 ? [] : [[a, b], [b, a]];
}

/** Returns the other input of a node with two inputs of which one is `name`, in a list. */
function without(node: { readonly input: readonly string[] } | undefined, name: string): string[] {
  return pairs(node).filter(([, other]) => other === name).map(([one]) => one).slice(0, 1);
}
