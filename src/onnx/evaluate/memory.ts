/**
 * Memory limit for the results of nodes.
 *
 * @module
 */

import { showNode } from "../codec/check_model.ts";
import type { NodeProto } from "../codec/messages.ts";

/** Memory limit of the node that is evaluated: the bytes that are left for it, and the limit for all nodes together. */
interface Budget {
  readonly node: NodeProto;
  readonly limit: number;
  left: number;
}

// A module variable holds the current budget, because nodes are evaluated one after another without interruption.
// As an argument it would have to pass through every operator, including custom ones.
let budget: Budget | undefined;

/**
 * Allocates an array of zeros for the result of a node.
 *
 * @throws {RangeError} if it exceeds the memory limit
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

/** Returns the error for a node whose result exceeds the memory limit by `bytes`. */
export function beyondLimit(node: NodeProto, limit: number, bytes: number): RangeError {
  return new RangeError(
    `Cannot evaluate ${showNode(node)}: the values of the graph exceed maxBytes (${limit}) ` +
      `by ${bytes} bytes. Pass a larger maxBytes if the model really needs it`,
  );
}

/** Runs the evaluation of a node, during which {@linkcode allocate} may allocate at most `left` bytes. */
export function within<T>(node: NodeProto, limit: number, left: number, run: () => T): T {
  const outer = budget;
  budget = { node, limit, left };
  try {
    return run();
  } finally {
    budget = outer;
  }
}
