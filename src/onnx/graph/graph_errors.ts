import type { NodeProto } from "../codec/messages.ts";
import { UnsupportedNodeError } from "./unsupported_node_error.ts";

/** For a graph that makes no sense. */
export function malformed(requirement: string, value: string): SyntaxError {
  return new SyntaxError(`Cannot use an ONNX graph as ${requirement}: current value is ${value}`);
}

/** For an edit that a node is in the way of. */
export function unsupported(
  action: string,
  { name, output, opType }: NodeProto,
  requirement: string,
): UnsupportedNodeError {
  return new UnsupportedNodeError({ action, node: name || output.join(), op: opType, requirement });
}

/** For an edit that would have to look into graphs inside of this node. */
export function insideNode(action: string, node: NodeProto): UnsupportedNodeError {
  return unsupported(action, node, "no graph inside of a node must have to be edited");
}
