import { attributeOf } from "../codec/attributes.ts";
import type { NodeProto } from "../codec/messages.ts";
import type { Graph } from "../graph/graph.ts";
import { UnsupportedNodeError } from "../graph/unsupported_node_error.ts";
import { GraphFacts } from "../infer/facts.ts";
import { operands } from "./operands.ts";
import { addSegmentTables, type SegmentTables } from "./segment_tables.ts";

const ACTION = "run on several threads";

/**
 * Least number of elements per update, over all sums with the same indices, for which tables are faster than
 * ScatterElements. Tables need one sort of the indices. ScatterElements needs one index per element.
 */
const LEAST_ELEMENTS = 64;

/** A ScatterND with a reduction, and what is known about it. */
interface Scatter {
  readonly node: NodeProto;
  readonly data: string;
  readonly indices: string;
  readonly updates: string;
  readonly rank: number;
  readonly reduction: string;
  /** Number of elements per update; infinite if unknown. */
  readonly elements: number;
  /** Key of the scatters that can share tables: the name of the indices, and the number of rows. */
  readonly key: string;
}

/**
 * Rewrites each ScatterND with a reduction, so that its result does not depend on threads. With several threads
 * onnxruntime applies the updates of a ScatterND concurrently, even to equal indices, and loses some of them, in native
 * builds as in WebAssembly.
 *
 * Long rows are gathered from tables and added up by ReduceSum, which works on several threads. Other updates are
 * applied one after another by ScatterElements. Run `mergeEquals` first: scatters share tables only if their indices
 * have the same name.
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
  const scatters = found.map((node) => readScatter(node, facts));
  const elements = new Map<string, number>();
  for (const each of scatters.filter(isSumOfRows)) {
    elements.set(each.key, (elements.get(each.key) ?? 0) + each.elements);
  }
  const tables = new Map<string, SegmentTables>();
  for (const scatter of scatters) {
    const { node, key, indices, data } = scatter;
    const isShort = (elements.get(key) ?? 0) < LEAST_ELEMENTS;
    if (isShort || !isSumOfRows(scatter)) {
      graph.replaceNode(node, inOrder(graph, scatter, indices));
      continue;
    }
    if (!tables.has(key)) tables.set(key, addSegmentTables(graph, indices, data));
    graph.replaceNode(node, bySums(graph, scatter, tables.get(key)!));
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

function readScatter(node: NodeProto, facts: GraphFacts): Scatter {
  const { inputs: [data = "", indices = "", updates = ""] } = operands(node, 3, ACTION);
  const shape = facts.of(data).shape, [, width, more] = facts.of(indices).shape ?? [];
  if (shape === undefined || width !== 1 || more !== undefined) throw refused(node);
  const elements = shape.slice(1).reduce(
    (product: number, length) => product * (typeof length === "number" ? length : Infinity),
    1,
  );
  const key = JSON.stringify([indices, shape[0]]);
  const rank = shape.length, reduction = reductionOf(node);
  return { node, data, indices, updates, rank, reduction, elements, key };
}

function isSumOfRows({ rank, reduction }: Scatter): boolean {
  return rank > 1 && reduction === "add";
}

/** Adds a node that applies updates one after another. `indices` are [E] or [E, 1]. */
function inOrder(
  graph: Graph,
  { data, updates, rank, reduction }: Pick<Scatter, "data" | "updates" | "rank" | "reduction">,
  indices: string,
): NodeProto {
  const rows = graph.make("Reshape", [indices, lengths(graph, [-1, ...Array(rank - 1).fill(1)])]);
  const places = rank === 1 ? rows : graph.make("Expand", [rows, graph.make("Shape", [updates])]);
  return graph.add("ScatterElements", [data, places, updates], {
    attributes: { axis: 0, reduction },
  });
}

/** Adds nodes that add up the rows of each element of the tables, and apply all other updates one after another. */
function bySums(graph: Graph, scatter: Scatter, tables: SegmentTables): NodeProto {
  const { updates } = scatter;
  const row = graph.make("Concat", [
    lengths(graph, [1]),
    graph.make("Shape", [updates], { start: 1 }),
  ], { axis: 0 });
  const zero = graph.make("CastLike", [graph.constantOf("f32", 0), updates]);
  // Elements of the table without an update refer to the last row.
  const padded = graph.make("Concat", [updates, graph.make("Expand", [zero, row])], { axis: 0 });
  const gathered = graph.make("Gather", [padded, tables.updates]);
  const sums = graph.make("ReduceSum", [gathered, lengths(graph, [1])], { keepdims: 0 });
  const others = graph.make("Gather", [updates, tables.otherUpdates]);
  const [base = ""] = inOrder(graph, { ...scatter, updates: others }, tables.otherRows).output;
  const rows = graph.make("Add", [graph.make("GatherND", [base, tables.rows]), sums]);
  return graph.add("ScatterND", [base, tables.rows, rows]);
}

function lengths(graph: Graph, values: readonly number[]): string {
  return graph.constantOf("i64", values);
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
