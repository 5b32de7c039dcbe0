import { intAttribute } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import { factsOf } from "../infer/shared_facts.ts";
import { isReduction, reducedAxes } from "./rows/axis_origins.ts";

/**
 * Writes reductions over one axis, behind which all axes have length 1, as reductions over the last axis: the axes of
 * length 1 are removed before and inserted again afterwards. onnxruntime is more than ten times slower if an axis
 * follows the one that it reduces, even if that axis has length 1. Gradients contain such sums, for example if a column
 * was multiplied by a number. Values are bitwise identical, or change by rounding if the runtime adds in another order.
 *
 * @returns number of reductions that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, reduceLastAxis } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("column");
 * const columns = builder.input("columns", "f32", ["N", 4, 1]);
 * builder.output("y", builder.reduceSum(columns, [1]));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(reduceLastAxis(graph), 1);
 * assertEquals(graph.sort().map(({ opType }) => opType), ["Squeeze", "ReduceSum", "Unsqueeze"]);
 * ```
 */
export function reduceLastAxis(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const trailing = trailingOnes(facts, node);
    if (trailing === undefined) continue;
    graph.replaceNode(node, reducedLast(graph, node, trailing));
    count++;
  }
  return count;
}

/** Returns the number of axes behind the reduced one if all of them have length 1; `undefined` if there are none. */
function trailingOnes(facts: GraphFacts, node: NodeProto): number | undefined {
  if (!isReduction(node) || node.domain !== "" || node.output.length !== 1) return undefined;
  const { shape } = facts.of(node.input[0] ?? "");
  const [axis, ...more] = shape === undefined ? [] : reducedAxes(node, shape.length, facts) ?? [];
  if (axis === undefined || more.length > 0) return undefined;
  const behind = shape!.slice(axis + 1);
  const isShort = shape![axis] === 1 || behind.length === 0;
  return isShort || behind.some((length) => length !== 1) ? undefined : behind.length;
}

function reducedLast(graph: Graph, node: NodeProto, trailing: number): NodeProto {
  const axes = graph.constantOf("i64", Array.from({ length: trailing }, (_, i) => i - trailing));
  const squeezed = graph.make("Squeeze", [node.input[0]!, axes]);
  const last = graph.constantOf("i64", [-1]);
  const reduced = graph.make(node.opType, [squeezed, last], {
    keepdims: intAttribute(node, "keepdims", 1),
  });
  return graph.add("Unsqueeze", [reduced, axes]);
}
