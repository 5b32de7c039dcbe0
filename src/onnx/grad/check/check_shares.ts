import { showNode } from "../../codec/check_model.ts";
import type { Graph } from "../../graph/graph.ts";
import type { NodeProto } from "../../codec/messages.ts";
import type { Share } from "../rule.ts";

/** Throws a TypeError if the result of a rule is invalid. Rules may be custom. */
export function checkShares(graph: Graph, node: NodeProto, answer: readonly Share[]): void {
  if (!Array.isArray(answer)) {
    throw refused(node, "its rule must return a list of shares, one per input", `${answer}`);
  }
  // A function is valid for an omitted input, because it is never called.
  const last = answer.findLastIndex((share) => share !== undefined && typeof share !== "function");
  if (last >= node.input.length) {
    const count = `${answer.length} for ${node.input.length}`;
    throw refused(node, "its rule must not return more shares than it has inputs", count);
  }
  for (const share of answer) {
    if (isShare(graph, share)) continue;
    const requirement =
      "each share must be the name of a value, a function that writes one, an object with into or part, or undefined";
    throw refused(node, requirement, JSON.stringify(share) ?? String(share));
  }
}

function isShare(graph: Graph, share: unknown): boolean {
  if (share === undefined || typeof share === "function") return true;
  if (typeof share === "string") return graph.has(share);
  if (typeof share !== "object" || share === null) return false;
  return "into" in share || "part" in share;
}

function refused(node: NodeProto, requirement: string, value: string): TypeError {
  return new TypeError(
    `Cannot differentiate ${showNode(node)}: ${requirement}; got ${value}`,
  );
}
