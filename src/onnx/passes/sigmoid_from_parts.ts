import type { Graph } from "../graph.ts";
import type { NodeProto } from "../messages.ts";
import { tensorValues } from "../tensor_proto.ts";

/**
 * Writes 1 / (1 + exp(−x)) as the one operator Sigmoid that it is: gradients traced by other programs spell it out,
 * in four operators. The numbers are the same but for rounding.
 *
 * @returns how many were written anew
 * @throws {UnsupportedNodeError} when there is one in a graph inside of a node
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
export function sigmoidFromParts(graph: Graph): number {
  graph.refuseControlFlow("write a sigmoid as one operator", "Reciprocal");
  let count = 0;
  for (const node of [...graph.nodes]) {
    const x = inside(graph, node);
    if (x === undefined) continue;
    graph.replaceNode(node, graph.add("Sigmoid", [x]));
    count++;
  }
  return count;
}

/** The x of 1 / (1 + exp(−x)), if a node is the last of its operators. */
function inside(graph: Graph, node: NodeProto): string | undefined {
  const sum = graph.producer(inverted(graph, node));
  if (sum?.opType !== "Add") return undefined;
  const [a = "", b = ""] = sum.input;
  const exp = graph.producer(isOne(graph, a) ? b : isOne(graph, b) ? a : "");
  if (exp?.opType !== "Exp") return undefined;
  const minus = graph.producer(exp.input[0] ?? "");
  return minus?.opType === "Neg" ? minus.input[0] : undefined;
}

/** What a node divides 1 by; "" where it does something else. */
function inverted(graph: Graph, { opType, input: [a = "", b = ""] }: NodeProto): string {
  if (opType === "Reciprocal") return a;
  return opType === "Div" && isOne(graph, a) ? b : "";
}

/** A single 1 without a shape of its own: with one it could give the sum more dimensions than x has. */
function isOne(graph: Graph, name: string): boolean {
  const tensor = graph.constant(name);
  if (tensor === undefined || tensor.dims.length > 0) return false;
  return Number(tensorValues(tensor)[0]) === 1;
}
