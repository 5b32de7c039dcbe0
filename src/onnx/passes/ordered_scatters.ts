import { attributeOf } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import { makeTensorProto } from "../codec/tensor_proto.ts";
import type { Graph } from "../graph/graph.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { GraphFacts } from "../infer/facts.ts";
import { operands } from "./operands.ts";

const ACTION = "run on several threads";

/**
 * Rewrites each ScatterND with a reduction as ScatterElements. With several threads onnxruntime applies the updates
 * of a ScatterND concurrently, even to equal indices, and loses some of them, in native builds as in WebAssembly.
 * ScatterElements applies its updates one after another.
 *
 * @returns number of nodes that were changed
 * @throws {UnsupportedNodeError} if the indices of a ScatterND with a reduction are not [E, 1], or it is in a
 * subgraph
 */
export function orderedScatters(graph: Graph): number {
  graph.refuseControlFlow(ACTION, "ScatterND");
  const found = graph.nodes.filter((node) => isReducing(node));
  if (found.length === 0) return 0;
  const facts = new GraphFacts(graph);
  for (const node of found) {
    const { inputs: [data = "", indices = "", updates = ""] } = operands(node, 3, ACTION);
    const rank = facts.of(data)?.shape?.length, [, width, more] = facts.of(indices)?.shape ?? [];
    if (rank === undefined || width !== 1 || more !== undefined) throw refused(node);
    const along = graph.make("Reshape", [indices, shape(graph, [-1, ...Array(rank - 1).fill(1)])]);
    const places = rank === 1
      ? along
      : graph.make("Expand", [along, graph.make("Shape", [updates])]);
    const attributes = { axis: 0, reduction: reductionOf(node) };
    graph.replaceNode(
      node,
      graph.add("ScatterElements", [data, places, updates], { attributes }),
    );
  }
  return found.length;
}

function isReducing(node: NodeProto): boolean {
  return node.opType === "ScatterND" && node.domain === "" && reductionOf(node) !== "none";
}

function reductionOf(node: NodeProto): string {
  const reduction = attributeOf(node, "reduction")?.s;
  return reduction === undefined ? "none" : new TextDecoder().decode(reduction);
}

function shape(graph: Graph, lengths: readonly number[]): string {
  return graph.addConstant(
    makeTensorProto("i64", [lengths.length], lengths, graph.freshName("rows")),
  );
}

function refused(node: NodeProto): UnsupportedNodeError {
  return new UnsupportedNodeError({
    action: ACTION,
    node: node.name || node.output.join(),
    op: node.opType,
    requirement:
      "its indices must be [E, 1], because onnxruntime loses updates of others (open it with threads: 1)",
  });
}
