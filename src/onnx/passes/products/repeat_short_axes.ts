import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { KnownShape } from "../../infer/fact.ts";
import { GraphFacts } from "../../infer/facts.ts";

/** Maximum length of a last axis along which a factor is repeated. From there on, broadcasting costs as much. */
const MOST = 16;

/**
 * Repeats factors along a short last axis before they are multiplied: x · s, where s has length 1 along the last axis of
 * 2 to 16 numbers of x, becomes x · (s · [1, 1, …]), with a product of matrices inside. onnxruntime multiplies such rows
 * one after another, which takes three to five times as long as both products. Potentials scale vectors of 3 or 5
 * numbers by a weight per channel in this way.
 *
 * Values do not change, except for the sign of zeros. The pass is for the processor: on WebGPU, broadcasting costs
 * nothing.
 *
 * @returns number of factors that are repeated
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, repeatShortAxes } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("scaled");
 * const vectors = builder.input("vectors", "f32", ["E", 64, 3]);
 * const weights = builder.input("weights", "f32", ["E", 64, 1]);
 * builder.output("y", builder.mul(vectors, weights));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(repeatShortAxes(graph), 1);
 * assertEquals(graph.sort().map(({ opType }) => opType), ["MatMul", "Mul"]);
 * ```
 */
export function repeatShortAxes(graph: Graph): number {
  const facts = new GraphFacts(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const index = repeatedFactor(facts, node);
    if (index === undefined) continue;
    const factor = node.input[index]!, { type } = facts.of(factor);
    const length = Number(facts.of(node.output[0]!).shape!.at(-1));
    const ones = graph.constantOf(type!, Array<number>(length).fill(1), [1, length]);
    graph.setInput(node, index, graph.make("MatMul", [factor, ones]));
    count++;
  }
  return count;
}

/** Returns the index of the factor that a product repeats along its short last axis, and along no other. */
function repeatedFactor(facts: GraphFacts, node: NodeProto): number | undefined {
  if (node.opType !== "Mul" || node.domain !== "") return undefined;
  const [a, b] = node.input.map((name) => facts.of(name));
  const { type } = facts.of(node.output[0] ?? "");
  if (type !== "f32" && type !== "f64" || !a?.shape || !b?.shape) return undefined;
  if (isRepeated(a.shape, b.shape)) return 0;
  return isRepeated(b.shape, a.shape) ? 1 : undefined;
}

function isRepeated(shape: KnownShape, other: KnownShape): boolean {
  const length = other.at(-1);
  if (typeof length !== "number" || length < 2 || length > MOST) return false;
  // A single row is not worth a product of matrices.
  const isLong = shape.length > 1 && shape.some((each) => each !== 1);
  return isLong && shape.at(-1) === 1 && shape.length === other.length &&
    shape.slice(0, -1).every((each, axis) => each === other[axis]);
}
