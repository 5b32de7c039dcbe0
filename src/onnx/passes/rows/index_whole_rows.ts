import { intAttribute, textAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { Graph } from "../../graph/graph.ts";
import type { GraphFacts } from "../../infer/facts.ts";
import { factsOf } from "../../infer/shared_facts.ts";

/**
 * Writes GatherElements as Gather, and ScatterElements that add as ScatterND, if one index per row was expanded to all
 * elements of the row. PyTorch exports sums over neighbors in this way. onnxruntime then handles whole rows, and the
 * expanded indices need not be computed: this is many times faster for wide rows.
 *
 * Values do not change in sessions of Hooke. In an exported file, onnxruntime with several threads may lose sums of
 * ScatterND: run `orderedScatters` before the export. The pass is for the processor: WebGPU adds the elements of a row one after another with ScatterND,
 * and at the same time with ScatterElements.
 *
 * @returns number of nodes that were rewritten
 * @throws {SyntaxError} if declared types or shapes contradict the operators
 *
 * @example
 * ```ts
 * import { decodeModel, Graph, GraphBuilder, indexWholeRows } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("rows");
 * const x = builder.input("x", "f32", ["N", 8]), rows = builder.input("rows", "i64", ["E"]);
 * const lengths = builder.op("Shape", [builder.input("messages", "f32", ["E", 8])], "i64");
 * const places = builder.op("Expand", [builder.unsqueeze(rows, [1]), lengths], "i64");
 * builder.output("y", builder.op("GatherElements", [x, places], "f32", { axis: 0 }));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(indexWholeRows(graph), 1);
 * graph.prune();
 * assertEquals(graph.nodes.map(({ opType }) => opType), ["Unsqueeze", "Squeeze", "Gather"]);
 * ```
 */
export function indexWholeRows(graph: Graph): number {
  const facts = factsOf(graph);
  let count = 0;
  for (const node of graph.sort()) {
    const made = wholeRows(graph, facts, node);
    if (made === undefined) continue;
    graph.replaceNode(node, made);
    count++;
  }
  return count;
}

/** Writes a node with one index per row; `undefined` if it stays. */
function wholeRows(graph: Graph, facts: GraphFacts, node: NodeProto): NodeProto | undefined {
  const { opType, domain, input: [data = "", indices = "", updates = ""] } = node;
  const isGather = opType === "GatherElements";
  const isSum = opType === "ScatterElements" && textAttribute(node, "reduction", "none") === "add";
  if (!isGather && !isSum || domain !== "") return undefined;
  const rank = facts.of(data).shape?.length ?? 0, axis = intAttribute(node, "axis", 0);
  const index = rank > 1 && (axis === 0 || axis === -rank)
    ? indexOfRows(graph, facts, data, indices)
    : undefined;
  if (index === undefined) return undefined;
  const ones = (from: number) => Array.from({ length: rank - from }, (_, i) => from + i);
  const without = (axes: readonly number[]) =>
    axes.length === 0 ? index : graph.make("Squeeze", [index, graph.constantOf("i64", axes)]);
  if (isGather) return graph.add("Gather", [data, without(ones(1))], { attributes: { axis: 0 } });
  const column = without(ones(2));
  // ScatterND takes 64-bit indices only.
  const places = facts.of(index).type === "i64"
    ? column
    : graph.make("Cast", [column], { to: I64 });
  return graph.add("ScatterND", [data, places, updates], { attributes: { reduction: "add" } });
}

/** Type of 64-bit integers in ONNX. */
const I64 = 7;

/** Returns the indices before they were expanded to whole rows, [E, 1, …]; `undefined` for other indices. */
function indexOfRows(
  graph: Graph,
  facts: GraphFacts,
  data: string,
  indices: string,
): string | undefined {
  const expand = graph.producer(indices), [index = ""] = expand?.input ?? [];
  if (expand?.opType !== "Expand" || expand.domain !== "") return undefined;
  const [from, to, rows] = [index, indices, data].map((name) => facts.of(name).shape);
  if (!from || !to || !rows || from.length !== rows.length || to.length !== rows.length) {
    return undefined;
  }
  const isWhole = to.slice(1).every((length, i) => length === rows[i + 1]);
  const isOne = from.slice(1).every((length) => length === 1);
  return isWhole && isOne && from[0] === to[0] ? index : undefined;
}
