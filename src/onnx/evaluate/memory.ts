/**
 * The memory that the nodes of a graph may take.
 *
 * @module
 */

import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";

/** The share of memory that one node may still take. */
interface Budget {
  readonly node: NodeProto;
  readonly limit: number;
  left: number;
}

// Nodes are evaluated one after another and without a pause, so that one variable says whose turn it is. An argument
// would have to go through every operator, those of users included.
let budget: Budget | undefined;

/**
 * Returns an array of zeros for what a node makes.
 *
 * @throws {RangeError} if that is more than the evaluation may still take
 */
export function allocate(count: number): Float64Array<ArrayBuffer> {
  if (budget !== undefined) take(budget, 8 * count);
  return new Float64Array(count);
}

function take(budget: Budget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left >= 0) return;
  throw beyondLimit(budget.node, budget.limit, bytes);
}

/** The error for a node that makes more than the evaluation may take. */
export function beyondLimit(node: NodeProto, limit: number, bytes: number): RangeError {
  return new RangeError(
    `Cannot evaluate ${
      showNode(node)
    } as the values of the graph must fit into maxBytes (${limit}): ` +
      `it makes ${bytes} bytes more than there is room for beside the others; raise maxBytes if that is meant`,
  );
}

/** Runs a node, which may allocate so many bytes. */
export function within<T>(node: NodeProto, limit: number, left: number, run: () => T): T {
  const outer = budget;
  budget = { node, limit, left };
  try {
    return run();
  } finally {
    budget = outer;
  }
}
