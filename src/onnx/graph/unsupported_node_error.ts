/** Details of an {@linkcode UnsupportedNodeError}. */
export interface UnsupportedNode {
  /** Attempted action, such as `"use int32 for int64"`. */
  readonly action: string;
  /** Name of the node, or of its output if it has no name. */
  readonly node: string;
  /** Operator of the node. */
  readonly op: string;
  /** Requirement that the node violates, such as "nodes must not have subgraphs". */
  readonly requirement: string;
  /** Position of the node in the graph and the names of its inputs, as text; `undefined` if they are unknown. */
  readonly place?: string;
  /** Original error. */
  readonly cause?: unknown;
}

/**
 * Error that is thrown if an edit does not support a node of the graph. Use the graph without that edit, or export
 * it again without the operator.
 *
 * @example
 * ```ts
 * import { evaluatorSession, GraphBuilder, UnsupportedNodeError } from "@hooke/hooke/onnx";
 * import { assertThrows } from "@std/assert";
 *
 * const g = new GraphBuilder("unknown");
 * const x = g.input("x", "f32", ["N"]);
 * g.output("y", g.op("Mulle", [x], "f32"));
 * assertThrows(() => evaluatorSession(g.build()), UnsupportedNodeError, "Mulle");
 * ```
 */
export class UnsupportedNodeError extends Error {
  /** Name of the class. */
  override readonly name = "UnsupportedNodeError";
  /** Attempted action. */
  readonly action: string;
  /** Name of the node, or of its output if it has no name. */
  readonly node: string;
  /** Operator of the node. */
  readonly op: string;
  /** Requirement that the node violates. */
  readonly requirement: string;
  /** Position of the node in the graph and the names of its inputs, as text; `undefined` if they are unknown. */
  readonly place: string | undefined;

  /** Creates the error with a message that names the action, the requirement and the node. */
  constructor({ action, node, op, requirement, place, cause }: UnsupportedNode) {
    const where = place === undefined ? "" : ` (${place})`;
    super(
      `Cannot ${action}: ${requirement}; got the ${op} ${JSON.stringify(node)}${where}`,
      cause === undefined ? {} : { cause },
    );
    this.action = action;
    this.node = node;
    this.op = op;
    this.requirement = requirement;
    this.place = place;
  }
}
