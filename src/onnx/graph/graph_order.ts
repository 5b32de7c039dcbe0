import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";
import { malformed } from "./graph_errors.ts";
import type { GraphTables } from "./graph_tables.ts";
import { capturesOf, hasSubgraphs } from "./subgraphs.ts";

/**
 * Sorts the nodes of a graph topologically, and returns them. The order of nodes changes only if necessary.
 *
 * @throws {SyntaxError} if the graph has a cycle
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
    throw malformed("it must not have cycles", `a cycle through ${showNode(order)}`);
  }
  nodes.clear();
  for (const node of order) nodes.add(node);
  proto.node = order;
  return order;
}

/**
 * Returns whether each node comes after the nodes that compute its inputs. Allocates no lists, because most edits
 * keep the order valid, so that this check is the usual path.
 */
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

/**
 * Returns the nodes in topological order; a node of a cycle if there is one. `needs` returns the nodes on which a
 * node depends.
 */
function topologicalOrder(
  nodes: Iterable<NodeProto>,
  needs: (node: NodeProto) => readonly NodeProto[],
): NodeProto[] | NodeProto {
  const order: NodeProto[] = [];
  const done = new Set<NodeProto>(), begun = new Set<NodeProto>();
  // Use an explicit stack: a chain of nodes may be longer than the call stack is deep.
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
