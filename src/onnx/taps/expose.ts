import type { Graph } from "../graph/graph.ts";
import { bareValueInfo } from "./bare_value_info.ts";
import { tapName } from "./own_names.ts";
import { findPoints, type Point } from "./points.ts";

/**
 * Lets tensors come out of a graph. The nodes of the graph stay as they are.
 *
 * What a node makes comes out under its own name; an input or a constant, which cannot, as `tap:` and its name. What
 * comes out already is left alone.
 *
 * A tensor that comes out must be kept, and cannot be fused away: expose what is looked at, and take
 * {@linkcode statistics} where a few numbers do.
 *
 * @param globs names or patterns, as {@linkcode points} takes them
 * @returns tensor → output
 * @throws {RangeError} when a pattern matches nothing
 * @throws {TypeError} for the name of a sequence
 * @throws {UnsupportedNodeError} for a name inside of a node's graph
 *
 * @example
 * ```ts
 * import { decodeModel, expose, Graph, GraphBuilder } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("two");
 * const x = builder.input("x", "f32", ["N"]);
 * builder.output("y", builder.op("Exp", [builder.op("Tanh", [x], "f32")], "f32"));
 * const graph = new Graph(decodeModel(builder.build()));
 * assertEquals(expose(graph, ["tan?", "x"]), { x: "tap:x", tanh: "tanh" });
 * assertEquals(graph.outputs.map(({ name }) => name), ["y", "tap:x", "tanh"]);
 * ```
 */
export function expose(graph: Graph, globs: string | readonly string[]): Record<string, string> {
  const found = findPoints(graph, "expose tensors", globs);
  return Object.fromEntries(found.map((point) => [point.name, exposeOne(graph, point)]));
}

function exposeOne(graph: Graph, { name, type, shape }: Point): string {
  const isMade = graph.producer(name) !== undefined && graph.constant(name) === undefined;
  const own = tapName(name, "");
  if (isMade && graph.isOutput(name)) return name;
  if (!isMade && graph.isOutput(own)) return own;
  const output = isMade ? name : graph.make("Identity", [name], {}, graph.freshName(own));
  graph.addOutput(bareValueInfo(output, type, shape));
  return output;
}
