import { unsupported } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";

/**
 * Returns the first `count` inputs of a node, and its first output. They are checked, because a file may contain
 * invalid nodes.
 *
 * @throws {UnsupportedNodeError} if one of these inputs or the output is missing
 */
export function operands(
  node: NodeProto,
  count: number,
  action: string,
): { readonly inputs: readonly string[]; readonly output: string } {
  const inputs = node.input.slice(0, count), output = node.output[0] ?? "";
  if (inputs.length === count && !inputs.includes("") && output !== "") return { inputs, output };
  throw unsupported(action, node, `it must have at least ${count} inputs and an output`);
}
