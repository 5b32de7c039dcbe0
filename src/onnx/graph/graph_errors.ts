import type { NodeProto } from "../codec/messages.ts";
import { UnsupportedNodeError } from "./unsupported_node_error.ts";

/** Returns the error for an invalid graph. */
export function malformed(requirement: string, value: string): SyntaxError {
  return new SyntaxError(`Cannot use an ONNX graph: ${requirement}; got ${value}`);
}

/** Returns the error for a node that does not allow an edit. */
export function unsupported(
  action: string,
  { name, output, opType }: NodeProto,
  requirement: string,
): UnsupportedNodeError {
  return new UnsupportedNodeError({ action, node: name || output.join(), op: opType, requirement });
}

/** Returns the error for a node with subgraphs that an edit would have to change. */
export function insideNode(action: string, node: NodeProto): UnsupportedNodeError {
  return unsupported(action, node, "this edit must not change subgraphs");
}
