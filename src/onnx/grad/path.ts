import type { Graph } from "../graph/graph.ts";
import type { Facts } from "../infer/facts.ts";
import type { NodeProto } from "../codec/messages.ts";
import { between, usedBy } from "../passes/path.ts";

/** "node 12 of 147, made from x and y": where to look in the file. */
export function placeOf(nodes: readonly NodeProto[], node: NodeProto): string {
  const names = node.input.filter((name) => name !== "");
  return `node ${nodes.indexOf(node) + 1} of ${nodes.length}, made from ${names.join(", ")}`;
}

/**
 * Where the ways from a value end: nodes that use what moves with it, and make nothing that does, or are among `ends`.
 */
export function stopsFrom(
  graph: Graph,
  facts: Facts,
  { forward, wrt, ends }: {
    /** The nodes that were there before anything was written. */
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

/** Operators that ask for lengths, which nobody takes for a way. */
const LENGTHS: readonly string[] = ["Shape", "Size"];
