/** Where a node is, and why it cannot be worked with. */
export interface UnsupportedNode {
  /** What was attempted: `"use int32 for int64"`. */
  readonly action: string;
  /** The node's name; what it makes, where it has none. */
  readonly node: string;
  /** Its operator. */
  readonly op: string;
  /** What would have to be the case instead: "no node must …". */
  readonly requirement: string;
  /** Where in the graph it is, and what it is made from, where that helps. */
  readonly place?: string;
  /** The error behind it. */
  readonly cause?: unknown;
}

/**
 * A graph has a node that an edit cannot work with. The graph may be used as it is, without the edit, or exported
 * again without that operator.
 */
export class UnsupportedNodeError extends Error {
  /** The name of the class. */
  override readonly name = "UnsupportedNodeError";
  /** What was attempted. */
  readonly action: string;
  /** The node's name; what it makes, where it has none. */
  readonly node: string;
  /** Its operator. */
  readonly op: string;
  /** What it must be, or must not. */
  readonly requirement: string;
  /** Where it is, if that was said. */
  readonly place: string | undefined;

  /** Says what was attempted, what it required, and which node is in the way. */
  constructor({ action, node, op, requirement, place, cause }: UnsupportedNode) {
    const where = place === undefined ? "" : ` (${place})`;
    super(
      `Cannot ${action} as ${requirement}: current node is the ${op} ${
        JSON.stringify(node)
      }${where}`,
      cause === undefined ? {} : { cause },
    );
    this.action = action;
    this.node = node;
    this.op = op;
    this.requirement = requirement;
    this.place = place;
  }
}
