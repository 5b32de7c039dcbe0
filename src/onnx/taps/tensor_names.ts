/**
 * Which names of a graph are those of tensors, and what is said of those that are not.
 *
 * @module
 */

import type { Graph } from "../graph/graph.ts";
import { insideNode } from "../graph/graph_errors.ts";
import type { NodeProto } from "../codec/messages.ts";
import { namesInside } from "../graph/subgraphs.ts";
import { type Glob, nearestNames } from "./glob.ts";

/** Operators that make no tensor. */
const NO_TENSORS: ReadonlySet<string> = new Set([
  "SequenceConstruct",
  "SequenceEmpty",
  "SequenceInsert",
  "SequenceErase",
  "SequenceMap",
  "SplitToSequence",
  "Optional",
]);

/** The names of all tensors: inputs, constants, and what nodes make, in the order of computation. */
export function tensorNames(graph: Graph): Set<string> {
  const { input = [], initializer = [] } = graph.model.graph ?? {};
  const given = [...input, ...initializer].map(({ name }) => name);
  const made = graph.sort().flatMap(({ output }) => output);
  return new Set(
    [...given, ...made].filter((name) => name !== "" && whatInstead(graph, name) === undefined),
  );
}

/** What a value is that is no tensor. */
function whatInstead(graph: Graph, name: string): string | undefined {
  const kind = graph.info(name)?.type?.value.case;
  if (kind !== undefined && kind !== "tensorType") return `a ${kind.replace("Type", "")}`;
  const made = graph.producer(name);
  if (made !== undefined && NO_TENSORS.has(made.opType)) return `made by ${made.opType}`;
  const isGiven = graph.has(name) && made === undefined;
  if (!isGiven || graph.info(name) !== undefined || graph.constant(name) !== undefined) return;
  return "a sparse constant";
}

/**
 * Throws for the name of something that is there, but is no tensor of the graph itself: an UnsupportedNodeError for
 * what is inside of a node, a TypeError for sequences and the like.
 */
export function refuseNoTensor(graph: Graph, action: string, name: string): void {
  const value = graph.has(name) ? whatInstead(graph, name) : undefined;
  if (value !== undefined) {
    throw new TypeError(
      `Cannot ${action} as ${JSON.stringify(name)} must be a tensor: current value is ${value}`,
    );
  }
  if (graph.has(name)) return;
  const around = graph.nodes.find((node: NodeProto) => namesInside(node).includes(name));
  if (around !== undefined) throw insideNode(`${action} (${name})`, around);
}

/** For a name or a pattern without a tensor. */
export function notFound(action: string, glob: Glob, names: Iterable<string>): RangeError {
  const near = nearestNames(glob, names);
  return new RangeError(
    `Cannot ${action} as every name or pattern must match a tensor: current value is ${
      JSON.stringify(glob.text)
    }${near.length === 0 ? "" : `; the nearest are ${near.join(", ")}`}`,
  );
}
