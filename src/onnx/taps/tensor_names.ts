/**
 * Names of tensors in a graph, and errors about other names.
 *
 * @module
 */

import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { namesInside } from "../graph/subgraphs.ts";
import { type Glob, nearestNames } from "./glob.ts";

/** Operators whose results are not tensors. */
const NO_TENSORS: ReadonlySet<string> = new Set([
  "SequenceConstruct",
  "SequenceEmpty",
  "SequenceInsert",
  "SequenceErase",
  "SequenceMap",
  "SplitToSequence",
  "Optional",
]);

/** Returns the names of all tensors, in the order of computation: inputs, constants and results of nodes. */
export function tensorNames(graph: Graph): Set<string> {
  const { input = [], initializer = [] } = graph.model.graph ?? {};
  const given = [...input, ...initializer].map(({ name }) => name);
  const made = graph.sort().flatMap(({ output }) => output);
  return new Set(
    [...given, ...made].filter((name) => name !== "" && otherKind(graph, name) === undefined),
  );
}

/** Returns a description of a value that is not a tensor; `undefined` for tensors. */
function otherKind(graph: Graph, name: string): string | undefined {
  const kind = graph.info(name)?.type?.value.case;
  if (kind !== undefined && kind !== "tensorType") return `a ${kind.replace("Type", "")}`;
  const made = graph.producer(name);
  if (made !== undefined && NO_TENSORS.has(made.opType)) return `made by ${made.opType}`;
  const isGiven = graph.has(name) && made === undefined;
  if (!isGiven || graph.info(name) !== undefined || graph.constant(name) !== undefined) return;
  return "a sparse constant";
}

/**
 * Throws an error if a name exists but is not the name of a tensor: a TypeError for sequences and similar values, and
 * an UnsupportedNodeError for a name in a subgraph.
 */
export function refuseNoTensor(graph: Graph, action: string, name: string): void {
  const value = graph.has(name) ? otherKind(graph, name) : undefined;
  if (value !== undefined) {
    throw new TypeError(
      `Cannot ${action}: ${JSON.stringify(name)} must be a tensor; got ${value}`,
    );
  }
  if (graph.has(name)) return;
  const around = graph.nodes.find((node: NodeProto) => namesInside(node).includes(name));
  if (around !== undefined) throw insideNode(`${action} (${name})`, around);
}

/** Returns the error for a name or pattern that matches no tensor. */
export function notFound(action: string, glob: Glob, names: Iterable<string>): RangeError {
  const near = nearestNames(glob, names);
  return new RangeError(
    `Cannot ${action}: no tensor matches ${JSON.stringify(glob.text)}${
      near.length === 0 ? "" : `; the closest names are ${near.join(", ")}`
    }`,
  );
}
