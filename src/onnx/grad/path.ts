import type { Graph } from "../graph/graph.ts";
import type { GraphFacts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { between, usedBy } from "../passes/path.ts";

/** Describes the position of a node in the graph: "node 12 of 147, made from x and y". */
export function placeOf(nodes: readonly NodeProto[], node: NodeProto): string {
  const names = node.input.filter((name) => name !== "");
  return `node ${nodes.indexOf(node) + 1} of ${nodes.length}, made from ${names.join(", ")}`;
}

/**
 * Returns the nodes at which the paths from the value `wrt` end. Such a node uses a value that depends on `wrt`. It
 * is one of `ends`, or no result of it depends on `wrt`.
 */
export function pathEnds(
  graph: Graph,
  facts: GraphFacts,
  { forward, wrt, ends }: {
    /** Nodes that the graph had before the differentiation. */
    readonly forward: readonly NodeProto[];
    readonly wrt: string;
    readonly ends: readonly NodeProto[];
  },
): readonly NodeProto[] {
  const { values: moving } = between(graph, facts, [wrt], []);
  const isStop = (node: NodeProto) =>
    ends.includes(node) || !node.output.some((name) => moving.has(name));
  return forward.filter((node) =>
    !LENGTHS.includes(node.opType) && usedBy(node).some((name) => moving.has(name)) && isStop(node)
  );
}

/** Operators that read only lengths. They are never reported as the end of a path. */
const LENGTHS: readonly string[] = ["Shape", "Size"];
