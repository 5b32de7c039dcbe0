import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";

/**
 * Rewrites stacks of matrix products in which two of the three lengths m, k, n of [m, k] × [k, n] are 1: vectors times
 * numbers become Mul, and products of two vectors become Mul and ReduceSum. onnxruntime calls its matrix kernel once
 * per matrix, which costs more than the product of such small ones.
 *
 * Only products of float32 or float64 are changed, and sums only if both operands are stacks: a stack times one matrix
 * is a single, fast product. Products of vectors with matrices stay, even of 3 or 5 numbers, because broadcasting
 * costs more there. Sums change only by rounding, other values do not change.
 *
 * @returns number of nodes that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, matMulToMul } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("scaled");
 * const vectors = builder.input("vectors", "f32", ["E", 5, 1]);
 * const numbers = builder.input("numbers", "f32", ["E", 1, 1]);
 * builder.output("y", builder.op("MatMul", [vectors, numbers], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(matMulToMul(graph), 1);
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Squeeze", "Squeeze", "Mul", "Unsqueeze"]);
 * ```
 */
export function matMulToMul(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const made = lower(graph, facts, node);
    if (made === undefined) continue;
    graph.replaceNode(node, made);
    count++;
  }
  return count;
}

/** Adds the nodes that replace a MatMul, and returns the last of them; `undefined` if the MatMul is not replaced. */
function lower(graph: Graph, facts: GraphFacts, node: NodeProto): NodeProto | undefined {
  const { opType, domain, input: [a = "", b = ""] } = node;
  if (opType !== "MatMul" || domain !== "") return undefined;
  const { type, shape: left } = facts.of(a), right = facts.of(b).shape;
  const isWide = type === "f32" || type === "f64";
  // A vector without a stack has one axis less.
  if (!isWide || left === undefined || right === undefined) return undefined;
  if (left.length < 2 || right.length < 2) return undefined;
  const hasOneRow = left.at(-2) === 1, hasOneColumn = right.at(-1) === 1;
  const isOuter = left.at(-1) === 1 || right.at(-2) === 1;
  if (isOuter && hasOneRow) return graph.add("Mul", [a, b]);
  if (isOuter && hasOneColumn) return graph.add("Unsqueeze", [column(graph, a, b), axis(graph)]);
  if (!hasOneRow || !hasOneColumn || !isStack(left) || !isStack(right)) return undefined;
  const row = graph.make("Unsqueeze", [graph.make("Squeeze", [b, axis(graph)]), axis(graph, -2)]);
  const product = graph.make("Mul", [a, row]);
  return graph.add("ReduceSum", [product, axis(graph)], { attributes: { keepdims: 1 } });
}

/**
 * Adds nodes that multiply a column by a number, both without their last axis, and returns the name of the product.
 * The gradient of the number is then a sum over the last axis: onnxruntime is many times slower if an axis of length
 * 1 follows the axis that it sums over.
 */
function column(graph: Graph, a: string, b: string): string {
  const [left, right] = [a, b].map((name) => graph.make("Squeeze", [name, axis(graph)]));
  return graph.make("Mul", [left!, right!]);
}

/** Returns whether a value of this shape may contain several matrices. */
function isStack(shape: KnownShape): boolean {
  return shape.slice(0, -2).some((length) => length !== 1);
}

function axis(graph: Graph, at: number = -1): string {
  return graph.constantOf("i64", [at]);
}
