import type { NodeProto } from "../codec/messages.ts";

/** Does each node stand behind those it needs? Tells so without making lists: most edits leave the order right. */
export function isSorted(
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
 * The nodes in an order in which each stands behind those it needs, and where it stood before if that is right; or
 * a node that needs itself.
 */
export function topologicalOrder(
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
