import { unsupported } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";

/**
 * The first inputs of a node, which it must have, and its first output: files may have nodes that make no sense.
 *
 * @throws {UnsupportedNodeError} when one is missing
 */
export function operands(
  node: NodeProto,
  count: number,
  action: string,
): { readonly inputs: readonly string[]; readonly output: string } {
  const inputs = node.input.slice(0, count), output = node.output[0] ?? "";
  if (inputs.length === count && !inputs.includes("") && output !== "") return { inputs, output };
  throw unsupported(action, node, `it must have ${count} inputs and an output`);
}
