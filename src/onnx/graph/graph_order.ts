import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import { malformed } from "./graph_errors.ts";
import type { GraphTables } from "./graph_tables.ts";
import { capturesOf, hasSubgraphs } from "./subgraphs.ts";

/**
 * Sorts the nodes of a graph, so that each follows those it needs, and returns them. Nodes keep their order where it is
 * right.
 *
 * @throws {SyntaxError} if a value needs itself
 */
export function sortNodes({ proto, nodes, links }: GraphTables): readonly NodeProto[] {
  const isBehind = (node: NodeProto, done: ReadonlySet<NodeProto>) => {
    const isDone = (name: string) => {
      const needed = links.producer(name);
      return needed === undefined || done.has(needed);
    };
    return node.input.every(isDone) &&
      (!hasSubgraphs(node) || [...capturesOf(node)].every(isDone));
  };
  if (isSorted(nodes, isBehind)) return proto.node = [...nodes];
  const order = topologicalOrder(nodes, (node) => {
    const needed = hasSubgraphs(node) ? [...node.input, ...capturesOf(node)] : node.input;
    return needed.map((name) => links.producer(name)).filter((each) => each !== undefined);
  });
  if (!Array.isArray(order)) {
    throw malformed("no value must need itself", `a circle through ${showNode(order)}`);
  }
  nodes.clear();
  for (const node of order) nodes.add(node);
  proto.node = order;
  return order;
}

/** Returns whether each node follows those it needs. It makes no lists, because most edits leave the order right. */
function isSorted(
  nodes: Iterable<NodeProto>,
  isBehind: (node: NodeProto, done: ReadonlySet<NodeProto>) => boolean,
): boolean {
  const done = new Set<NodeProto>();
  for (const node of nodes) {
    if (!isBehind(node, done)) return false;
    done.add(node);
  }
  return true;
}

/** Returns the nodes sorted as `sortNodes` does, or a node that needs itself. */
function topologicalOrder(
  nodes: Iterable<NodeProto>,
  needs: (node: NodeProto) => readonly NodeProto[],
): NodeProto[] | NodeProto {
  const order: NodeProto[] = [];
  const done = new Set<NodeProto>(), begun = new Set<NodeProto>();
  // Written out instead of recursive: chains of nodes are longer than stacks are deep.
  for (const start of nodes) {
    const waiting = [start];
    for (let node = waiting.at(-1); node !== undefined; node = waiting.at(-1)) {
      if (done.has(node)) {
        waiting.pop();
        continue;
      }
      const isBack = begun.has(node);
      begun.add(node);
      const missing = needs(node).filter((each) => !done.has(each));
      if (missing.length === 0) {
        waiting.pop();
        done.add(node);
        order.push(node);
      } else if (isBack) return node;
      else waiting.push(...missing);
    }
  }
  return order;
}
