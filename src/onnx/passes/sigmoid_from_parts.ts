import type { Graph } from "../graph/graph.ts";
import type { NodeProto } from "../codec/messages.ts";
import { plainOf } from "../evaluate/plain_tensor.ts";
import { hasArray, isExternal, tensorType } from "../codec/tensor_proto.ts";
import type { PassOptions } from "./pass.ts";

/**
 * Rewrites 1 / (1 + exp(−x)) as Sigmoid. Gradients traced by other programs contain this formula as four operators.
 * Values change only by rounding. A parameter that is currently 1 is not treated as a constant. Subgraphs are not
 * searched.
 *
 * @returns number of nodes that were rewritten
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, sigmoidFromParts } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("parts");
 * const x = builder.input("x", "f32", ["N"]);
 * const parts = builder.add(builder.op("Exp", [builder.op("Neg", [x], "f32")], "f32"), 1);
 * builder.output("y", builder.op("Reciprocal", [parts], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(sigmoidFromParts(graph), 1);
 * graph.prune();
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Sigmoid"]);
 * ```
 */
export function sigmoidFromParts(graph: Graph, options: PassOptions = {}): number {
  const parts = new Parts(graph, new Set(options.parameters));
  let count = 0;
  for (const node of [...graph.nodes]) {
    const x = parts.inside(node);
    if (x === undefined) continue;
    graph.replaceNode(node, graph.add("Sigmoid", [x]));
    count++;
  }
  return count;
}

/** Finds sigmoids that are composed of several operators. */
class Parts {
  readonly #graph: Graph;
  readonly #parameters: ReadonlySet<string>;

  constructor(graph: Graph, parameters: ReadonlySet<string>) {
    this.#graph = graph;
    this.#parameters = parameters;
  }

  /** Returns the name of x if a node is the last operator of 1 / (1 + exp(−x)); otherwise `undefined`. */
  inside(node: NodeProto): string | undefined {
    const graph = this.#graph, sum = graph.producer(this.#inverted(node));
    if (sum?.opType !== "Add") return undefined;
    const [a = "", b = ""] = sum.input;
    const exp = graph.producer(this.#isOne(a) ? b : this.#isOne(b) ? a : "");
    if (exp?.opType !== "Exp") return undefined;
    const minus = graph.producer(exp.input[0] ?? "");
    return minus?.opType === "Neg" ? minus.input[0] : undefined;
  }

  /** Returns the name of x if a node computes 1 / x; otherwise "". */
  #inverted({ opType, input: [a = "", b = ""] }: NodeProto): string {
    if (opType === "Reciprocal") return a;
    return opType === "Div" && this.#isOne(a) ? b : "";
  }

  /** Returns whether a value is a scalar 1. A 1 with axes could give the sum more axes than x has. */
  #isOne(name: string): boolean {
    const tensor = this.#parameters.has(name) ? undefined : this.#graph.constant(name);
    if (tensor === undefined || tensor.dims.length > 0 || isExternal(tensor)) return false;
    return hasArray(tensorType(tensor)) && plainOf(tensor).data[0] === 1;
  }
}
